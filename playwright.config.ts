import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { chromiumArgs, storyBrowser } from './scripts/chromium.ts'
import { isStale } from './scripts/build/freshness.ts'

// What is tested is what was built. Workers read this file too; the first process alone builds.
if (!process.env['TEST_WORKER_INDEX'] && isStale()) {
  const { status } = spawnSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' })
  if (status !== 0) throw new Error('The build failed.')
}

/** Everything that needs a browser: the storefront script, the islands, and the stories end to end. */
export default defineConfig({
  testDir: 'test',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  fullyParallel: false,
  // A story waits for a page, and a page for its own rests, half of the time.
  workers: availableParallelism() + 1,
  timeout: 120_000,
  // Long enough for a machine that is five times slower: it is only waited for where something is wrong.
  expect: { timeout: 20_000 },
  forbidOnly: true,
  reporter: 'line',
  use: {
    actionTimeout: 30_000,
    navigationTimeout: 90_000,
    launchOptions: { executablePath: storyBrowser(), args: chromiumArgs },
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'America/New_York',
  },
})
