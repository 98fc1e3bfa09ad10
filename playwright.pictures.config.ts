import { defineConfig } from '@playwright/test'
import suite from './playwright.config.ts'

/**
 * `npm run pictures`: takes a picture of every screen for people to look at. Not part of the suite.
 */
export default defineConfig({
  ...suite,
  testDir: 'test/pictures',
  testMatch: '**/*.pictures.ts',
  timeout: 1_800_000,
  reporter: 'list',
})
