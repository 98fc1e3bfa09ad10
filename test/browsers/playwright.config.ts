import { defineConfig } from '@playwright/test'

/**
 * Stories that must pass in every browser (npm run browsers). Playwright only runs the tests: each
 * browser has its own driver.
 */
export default defineConfig<object, { engineName: 'Firefox' | 'WebKit' }>({
  testDir: '.',
  testMatch: '*.story.ts',
  outputDir: '../../test-results/browsers',
  forbidOnly: true,
  workers: 1,
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: 'list',
  projects: [
    { name: 'Firefox', use: { engineName: 'Firefox' } },
    { name: 'WebKit', use: { engineName: 'WebKit' } },
  ],
})
