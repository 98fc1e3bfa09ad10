import { spawnSync } from 'node:child_process'
import { defineConfig } from '@playwright/test'
import { chromiumArgs, storyBrowser } from './scripts/chromium.ts'
import { isStale } from './scripts/build/freshness.ts'
import { lanes } from './scripts/testing/lanes.ts'
import { slowness } from './test/slowness.ts'

// Tests run against the built files, so build first if they are out of date. Workers read this file
// too, but only the first process builds.
if (!process.env['TEST_WORKER_INDEX'] && isStale()) {
  const { status } = spawnSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' })
  if (status !== 0) throw new Error('The build failed.')
}

/**
 * All tests that need a browser: the storefront script, the islands, and the end-to-end stories.
 */
export default defineConfig({
  testDir: 'test',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  fullyParallel: false,
  workers: lanes,
  timeout: 120_000 * slowness,
  // Long enough for a machine that is five times slower. A passing test never waits this long.
  expect: { timeout: 20_000 * slowness },
  forbidOnly: true,
  reporter: 'line',
  use: {
    actionTimeout: 30_000 * slowness,
    navigationTimeout: 90_000 * slowness,
    launchOptions: { executablePath: storyBrowser(), args: chromiumArgs },
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'America/New_York',
  },
})
