import t from 'tap'
import { callTimeouts, engineTimeout, vendorsTimeout } from '../../domain/call-timeouts.ts'
import { contract } from '../../domain/api/contract.ts'
import type { Call } from '../../domain/api/call.ts'

t.test('a call has a shorter timeout than the call above it', async t => {
  for (const [name, call] of Object.entries<Call>(contract))
    t.ok(vendorsTimeout(call).all < engineTimeout(call, callTimeouts.engine), name)
  t.ok(callTimeouts.vendor + callTimeouts.silentVendor <= callTimeouts.vendors)
  t.ok(callTimeouts.silentVendor < callTimeouts.vendor)
  const readings = ['brandFonts', 'generateBrandStyle'] as const
  for (const name of readings)
    t.ok(
      callTimeouts.readingTurn + callTimeouts.reading < vendorsTimeout(contract[name]).all,
      `${name}: the browser gives up before the call`,
    )
})
