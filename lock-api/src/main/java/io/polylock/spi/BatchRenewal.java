// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

import java.util.List;

/** Renewing many leases in one round trip. */
public non-sealed interface BatchRenewal extends BackendFeature {

    /**
     * Renews each lease as {@link LockBackend#renew} does; what fails for one does not fail for another (REN-6).
     *
     * @param requests the leases; the smallest {@link LockRequest#answerWithin()} bounds the call
     * @return one result for each request, in the same order
     */
    List<RenewResult> renewAll(List<LockRequest> requests);
}
