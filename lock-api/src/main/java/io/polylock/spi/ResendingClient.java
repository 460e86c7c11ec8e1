// SPDX-License-Identifier: Apache-2.0
package io.polylock.spi;

/**
 * The client below this backend may send a request again by itself. A release that finds nothing may then be the echo of
 * one that succeeded, so the engine reads "not held" within the validity as unknown. A marker without operations.
 */
public non-sealed interface ResendingClient extends BackendFeature {}
