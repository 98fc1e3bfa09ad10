/** Runs what is asked for under one key once at a time: who asks meanwhile (a double click) is given the same outcome. */
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
