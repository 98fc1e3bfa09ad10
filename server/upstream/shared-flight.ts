/**
 * Runs only one call of a key at a time. A request that arrives meanwhile (a double click) gets the
 * same outcome.
 */
export function sharedFlights<T>(): (key: string, start: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, Promise<T>>()
  return (key, start) => {
    const known = underWay.get(key)
    if (known) return known
    const flight = start().finally(() => underWay.delete(key))
    underWay.set(key, flight)
    return flight
  }
}
