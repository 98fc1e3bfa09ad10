/** After this many requests it is certain enough that something is wrong. */
const enough = 100

export type AddressWatch = {
  saw: (address: string) => void
  /** All requests since the start came from one address, and they are enough. */
  isOne: () => boolean
}

/**
 * Whether shoppers can be told apart by their addresses. Behind a proxy whose networks or header are not configured all
 * of them have its own, and every limit by address is one for all. `warn` is called once.
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
