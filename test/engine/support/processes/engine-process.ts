import type { AddressInfo } from 'node:net'
import { buildEngine } from '../../../../engine/app.ts'
import { engineConfig } from '../../../../engine/config.ts'

// A whole engine in a process of its own, as operators run it, so that a test can kill it: tells its parent the port.
const { app } = await buildEngine({ config: engineConfig(process.env) })
await app.listen({ port: 0, host: '127.0.0.1' })
process.send!((app.server.address() as AddressInfo).port)
// It does not outlive the test that started it.
process.once('disconnect', () => process.exit())
