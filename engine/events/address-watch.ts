/** After this many requests it is certain enough that something is wrong. */
const enough = 100

export type AddressWatch = {
  saw: (address: string) => void
  /** True when at least `enough` requests came since the start, all from one address. */
  isOne: () => boolean
}

/**
 * Checks whether requests come from different addresses. Behind a proxy that is not configured (its
 * networks or its header), every request has the proxy's address, so all shoppers share each limit
 * per address. Calls `warn` once, when `enough` requests came from one address.
 */
export function watchAddresses(warn: () => void): AddressWatch {
  let first: string | undefined,
    count = 0,
    isDifferent = false
  return {
    saw: address => {
      if (isDifferent) return
      first ??= address
      isDifferent = address !== first
      if (++count === enough && !isDifferent) warn()
    },
    isOne: () => !isDifferent && count >= enough,
  }
}
