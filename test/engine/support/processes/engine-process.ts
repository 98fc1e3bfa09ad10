import type { AddressInfo } from 'node:net'
import { buildEngine } from '../../../../engine/app.ts'
import { engineConfig } from '../../../../engine/config.ts'

// An engine in its own process, as operators run it, so that a test can kill it. Sends the port to
// its parent.
const { app } = await buildEngine({ config: engineConfig(process.env) })
await app.listen({ port: 0, host: '127.0.0.1' })
process.send!((app.server.address() as AddressInfo).port)
// The process ends when the test that started it ends.
process.once('disconnect', () => process.exit())
