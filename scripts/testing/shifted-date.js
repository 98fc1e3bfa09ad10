// Moves this process to another day, so that the suite shows what it takes for granted of today. DATE_SHIFT is the
// instant that the start is taken for; time continues from there. PGlite asks the same clock.
const asked = process.env['DATE_SHIFT']
if (asked) {
  // Processes that this one starts continue with its time: they are told by how much it is off.
  const real = Date,
    shift = /^-?\d+$/.test(asked) ? Number(asked) : real.parse(asked) - real.now()
  process.env['DATE_SHIFT'] = String(shift)
  if (Number.isNaN(shift)) throw new Error(`DATE_SHIFT is no instant: ${asked}`)
  globalThis.Date = new Proxy(real, {
    construct: (target, given, made) =>
      Reflect.construct(target, given.length > 0 ? given : [target.now() + shift], made),
    apply: target => new target(target.now() + shift).toString(),
    get: (target, key) => (key === 'now' ? () => target.now() + shift : Reflect.get(target, key)),
  })
}
