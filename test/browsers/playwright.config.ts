import { defineConfig } from '@playwright/test'

/** The stories that hold in every browser. Playwright only runs them here: the browsers have drivers of their own (npm run browsers). */
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
