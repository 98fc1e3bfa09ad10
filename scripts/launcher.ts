import { findChromium } from '../engine/browser/chromium.ts'
import { launchBrowsers } from '../engine/browser/chromium-launcher.ts'

// Starts browsers under an account that cannot read our files: `node launcher.js SOCKET`.
const [, , socketPath] = process.argv
const path = findChromium(process.env['CHROMIUM_PATH'])
if (!socketPath || !path)
  throw new Error(
    socketPath ? 'No Chrome, Chromium or Edge was found.' : 'Name the socket to listen on.',
  )
process.umask(0o077)
await launchBrowsers(socketPath, path)
