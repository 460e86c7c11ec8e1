// SPDX-License-Identifier: Apache-2.0
package io.polylock.cli;

/** A reason for which the demo cannot go on; one sentence for the user. */
final class DemoFailure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DemoFailure(String message) {
        super(message);
    }

    DemoFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
