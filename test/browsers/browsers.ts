import { writeFileSync } from 'node:fs'
import { test as base, type TestType } from '@playwright/test'
import { openFirefox } from './firefox.ts'
import type { Browser, Tab } from './tab.ts'
import { openWebKit } from './webkit.ts'
import { findFirefox, findWebKit } from '../../scripts/build/browser-paths.ts'

type Own = { visitor: Tab }
type Shared = { engineName: 'Firefox' | 'WebKit'; engine: Browser }

/** Stories in the browser of the project: `visitor` is a tab with no cookies or storage. */
export const story: TestType<Own, Shared> = base.extend<Own, Shared>({
  engineName: ['Firefox', { scope: 'worker', option: true }],
  engine: [
    async ({ engineName }, use) => {
      const browser =
        engineName === 'Firefox'
          ? await openFirefox(findFirefox()!)
          : await openWebKit(findWebKit()!)
      console.log(`${engineName}: ${browser.version}`)
      await use(browser)
      await browser.close()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  visitor: async ({ engine }, use, info) => {
    const visitor = await engine.visit()
    await use(visitor)
    if (info.status !== info.expectedStatus)
      await visitor.picture().then(
        picture => {
          writeFileSync(info.outputPath('shown.png'), picture)
        },
        () => {},
      )
  },
})
