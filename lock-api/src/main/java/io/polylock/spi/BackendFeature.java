// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

/**
 * Something that a store can do beyond the three operations. The engine and the test kit use a feature where it is declared;
 * a rule that needs it is skipped only where it is not.
 */
public sealed interface BackendFeature
        permits Fencing, Handover, BatchRenewal, ReleaseSignals, Inspection, QuorumMember, ResendingClient {}
