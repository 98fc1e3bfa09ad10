import { test } from '@playwright/test'
import { paths } from '../../domain/paths.ts'
import { startStage, type Stage } from '../e2e/stage.ts'
import { drawAt } from './draw.ts'

/** The screens of a store without data, or with a problem. */
let stage: Stage
test.beforeAll(async () => {
  stage = await startStage()
})
test.afterAll(() => stage.stop())

const subscribed = {
  has_subscribed: true,
  plan_id: 'advanced-100k-monthly',
  subscription_status: 'Active',
  status: 'installed',
  reinstall: false,
} as const
const unsubscribed = {
  onboarded: false,
  has_subscribed: false,
  plan_id: null,
  subscription_status: null,
} as const

test('a store without data', async ({ page }) => {
  await stage.store({ ...subscribed, onboarded: true })
  await page.goto(await stage.address())
  await drawAt(page, stage.app, 'empty-list')
  await drawAt(page, stage.app + paths.tests('Draft'), 'empty-drafts')
  await drawAt(page, stage.app + paths.recommendations(), 'empty-lift-assist')
  await drawAt(page, stage.app + paths.settings('notifications'), 'empty-notifications')
  await drawAt(page, stage.app + paths.settings('uninstall'), 'uninstall')
})

test('a store during onboarding, and a store that is locked out', async ({ page }) => {
  await stage.store({ ...subscribed, ...unsubscribed })
  await page.goto(await stage.address())
  await drawAt(page, stage.app + paths.overlay('selectplan'), 'select-plan')
  await stage.store({ ...subscribed, onboarded: false })
  for (const step of [undefined, 'contact', 'choose-industry', 'last-question'] as const)
    await drawAt(page, stage.app + paths.welcome(step), `welcome-${step ?? 'start'}`)
  await stage.store({ ...subscribed, onboarded: true, subscription_status: 'Cancelled' })
  await drawAt(page, stage.app + paths.overlay('noplan'), 'no-plan')
})
