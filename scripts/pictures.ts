import { mkdirSync } from 'node:fs'
import { chromium } from '@playwright/test'
import { demoShopConfig } from '../demo-shop/config.ts'
import { paths } from '../domain/paths.ts'
import { chromiumArgs, ensureChromium } from './chromium.ts'

// Takes the README's pictures from the running product with its demo data (npm start): node scripts/pictures.ts
process.chdir(new URL('..', import.meta.url).pathname)
const { DEMO_SHOP_ORIGIN } = demoShopConfig(process.env)
const admin = `${DEMO_SHOP_ORIGIN}/admin/apps/twinshelf`
mkdirSync('docs/images', { recursive: true })

const browser = await chromium.launch({ executablePath: ensureChromium(), args: chromiumArgs })
const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: 'light' })
await page.goto(admin + paths.tests('Ended'))
const app = page.frameLocator('iframe')
await app.getByRole('link', { name: 'Reviews above the fold' }).click()
await app.getByRole('heading', { level: 1, name: 'Reviews above the fold' }).waitFor()
await page.waitForLoadState('networkidle')
await page.screenshot({ path: 'docs/images/report.png' })
await browser.close()
