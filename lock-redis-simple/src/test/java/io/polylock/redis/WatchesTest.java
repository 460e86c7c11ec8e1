// SPDX-License-Identifier: Apache-2.0
package io.polylock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WatchesTest {

    private static final String LOCK = "lock:orders/42";

    private final Watches watches = new Watches();

    @Test
    void anAnswerToAnEarlierListeningAnswersNoSignalOfALaterOne() {
        Watches.Listening earlier = watches.add(LOCK, new Hearing());
        watches.heard(LOCK);
        Watches.Standing before = watches.standing(LOCK).orElseThrow();
        assertThat(watches.removedUnanswered(earlier)).isTrue();
        Watches.Listening later = watches.add(LOCK, new Hearing());
        watches.answered(LOCK, before);
        watches.heard(LOCK);

        assertThat(watches.standing(LOCK).orElseThrow().signalled()).isTrue();
        assertThat(watches.removedUnanswered(later)).isTrue();
    }
}
