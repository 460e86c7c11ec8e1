// SPDX-License-Identifier: Apache-2.0
package io.polylock.tck;

import io.polylock.LockManager;
import io.polylock.ManagerOptions;
import io.polylock.spi.LockBackend;
import io.polylock.spi.LockClock;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * The specification of a lock backend as tests: each rule of {@code docs/spec.md} is one test that bears its number. A
 * backend is tested by a class of a few lines:
 *
 * <pre>{@code
 * class FooTckIT extends LockBackendTck {
 *     @Override
 *     protected LockBackend createBackend() {
 *         return FooLockBackend.of(client);
 *     }
 * }
 * }</pre>
 *
 * <p>A rule is skipped only if the backend does not declare the feature that the rule is about; what the harness cannot
 * provoke is reported as not verified.
 */
public abstract class LockBackendTck {

    private Stage stage = Stage.empty();

    /** For subclasses. */
    protected LockBackendTck() {}

    /**
     * Another client of the store under test. Each call makes a new one, all on the same store; the kit closes them.
     *
     * @return a backend
     */
    protected abstract LockBackend createBackend();

    /**
     * A client of a store that cannot be reached, such as one on a port where nothing listens.
     *
     * @return a backend; empty if there is no such thing, and the rule about it is not verified
     */
    protected Optional<LockBackend> createUnreachableBackend() {
        return Optional.empty();
    }

    /** What the harness can do to the store; nothing by default, so that the rules which need it are not verified. */
    protected StoreFaults faults() {
        return StoreFaults.NONE;
    }

    /** The time that store and managers live by; the machine's by default. */
    protected LockClock clock() {
        return LockClock.system();
    }

    /** How the kit makes managers; the kit's own tests seed defects here. */
    LockManager createManager(LockBackend backend, ManagerOptions options) {
        return LockManager.of(backend, options);
    }

    @BeforeEach
    void setTheStage() {
        stage = new Stage(this);
    }

    @AfterEach
    void clearTheStage() {
        stage.close();
    }

    private Stage stage() {
        return stage;
    }

    @Nested
    @DisplayName("Acquiring")
    class Acquiring extends AcquireRules {
        Acquiring() {
            super(LockBackendTck.this::stage);
        }
    }

    @Nested
    @DisplayName("Mutual exclusion")
    class Exclusion extends ExclusionRules {
        Exclusion() {
            super(LockBackendTck.this::stage);
        }
    }

    @Nested
    @DisplayName("Waiting")
    class Waiting extends WaitRules {
        Waiting() {
            super(LockBackendTck.this::stage);
        }
    }

    @Nested
    @DisplayName("Asynchronous acquiring")
    class Asynchronous extends AsyncRules {
        Asynchronous() {
            super(LockBackendTck.this::stage);
        }
    }

    @Nested
    @DisplayName("Expiry")
    class Expiry extends ExpiryRules {
        Expiry() {
            super(LockBackendTck.this::stage);
        }
    }

    @Nested
    @DisplayName("Releasing")
    class Releasing extends ReleaseRules {
        Releasing() {
            super(LockBackendTck.this::stage);
        }
    }

    @Nested
    @DisplayName("Renewing")
    class Renewing extends RenewRules {
        Renewing() {
            super(LockBackendTck.this::stage);
        }
    }

    @Nested
    @DisplayName("Renewal and loss")
    class Loss extends LossRules {
        Loss() {
            super(LockBackendTck.this::stage);
        }
    }

    @Nested
    @DisplayName("Honest validity")
    class Honesty extends HonestyRules {
        Honesty() {
            super(LockBackendTck.this::stage);
        }
    }

    @Nested
    @DisplayName("Unknown outcomes and failures")
    class Failures extends FailureRules {
        Failures() {
            super(LockBackendTck.this::stage);
        }
    }

    @Nested
    @DisplayName("Fencing tokens")
    class Tokens extends FencingRules {
        Tokens() {
            super(LockBackendTck.this::stage);
        }
    }

    @Nested
    @DisplayName("Features")
    class Features extends FeatureRules {
        Features() {
            super(LockBackendTck.this::stage);
        }
    }

    @Nested
    @DisplayName("Hand-over between waiters")
    class Succession extends SuccessionRules {
        Succession() {
            super(LockBackendTck.this::stage);
        }
    }

    @Nested
    @DisplayName("Members of a quorum")
    class Members extends QuorumMemberRules {
        Members() {
            super(LockBackendTck.this::stage);
        }
    }

    @Nested
    @DisplayName("Listeners")
    class Listeners extends ListenerRules {
        Listeners() {
            super(LockBackendTck.this::stage);
        }
    }

    @Nested
    @DisplayName("Input")
    class Input extends InputRules {
        Input() {
            super(LockBackendTck.this::stage);
        }
    }

    @Nested
    @DisplayName("Life cycle")
    class LifeCycle extends LifeCycleRules {
        LifeCycle() {
            super(LockBackendTck.this::stage);
        }
    }
}
