import type { Test } from 'tap'
import { contract } from '../../../../domain/api/contract.ts'
import { plainBrandStyle, plainFonts } from '../../../../domain/brand/brand-style-by-hand.ts'
import { run } from '../../../../engine/db/raw.ts'
import { refusal } from '../engine.ts'
import { like } from '../like.ts'
import { withAllChanges } from '../with-shop.ts'
import type { Walk } from './walker.ts'

/** Signing in, the store, its plan, its brand and its analytics. */
export function walkStore(
  t: Test,
  { call, file, storeId, idToken, db, now, shopOrigin, google }: Walk,
): void {
  t.test('session and about', async t => {
    const first = await call('auth', { body: { idToken: await idToken() } })
    const second = await call('auth', { body: { refreshToken: first.refreshToken } })
    t.not(second.refreshToken, first.refreshToken)
    const path = '/tests/1/export/orders'
    const { link } = await call('makeDownloadLink', { body: { path } })
    t.match(await call('useDownloadLink', { body: { link, path } }), { token: String })
    t.match(await call('about', {}), {
      google: { analytics: { gtm: 'GTM-AB12CD' } },
      segment: { writeKey: 'key123' },
      version: /^\d+\.\d+\.\d+$/,
    })
  })

  t.test('store and onboarding', async t => {
    const before = await call('storeInfo', {})
    t.match(before, {
      name: 'Fern & Kiln',
      currency: 'USD',
      storeInitials: 'FK',
      themeId: '160001',
    })
    t.match(await call('renameStore', { params: { id: storeId }, body: { name: 'Kiln & Fern' } }), {
      name: 'Kiln & Fern',
      storeInitials: 'KF',
    })
    for (const kept of [
      call('renameStore', { params: { id: storeId }, body: { name: before.name } }),
      call('setConsentRule', { params: { id: storeId }, body: { rule: 'unlessRefused' } }),
    ])
      t.match(await kept, { consentRule: 'unlessRefused' })
    const industries = await call('industries', {})
    const [key] = Object.keys(industries)
    t.ok(Object.keys(industries).length > 10)
    await call('setIndustries', {
      body: {
        selectedIndustry: key as never,
        teamSize: contract.setIndustries.body.properties.teamSize.enum[1]!,
      },
    })
    const { testingExperience, source } = contract.setExperience.body.properties
    await call('setExperience', {
      body: { testingExperience: testingExperience.enum[0]!, source: source.enum[0]! },
    })
    await call('startOnboarding', {})
    await call('setOnboarded', {})
    t.same(await call('dismissChecklist', {}), { ok: true })
    t.equal((await call('tests', { query: {} })).start, null)
    t.match(await call('storeInfo', {}), {
      industry: key,
      teamSize: String,
      testingExperience: testingExperience.enum[0],
      source: source.enum[0],
      onboarded: true,
    })
    const own = await call('storeAddresses', {})
    t.same(own, {
      admin: `${shopOrigin}/admin`,
      app: `${shopOrigin}/admin/apps/twinshelf`,
      session: `${shopOrigin}/admin/apps/twinshelf/session`,
      settings: `${shopOrigin}/admin/settings`,
      themes: `${shopOrigin}/admin/themes`,
      addressMessage: 'app:address',
      tokenMessage: 'app:id-token',
      adminScript: null,
      frameAncestors: [shopOrigin],
      adminOrigins: [shopOrigin],
      scripts: [],
      images: [shopOrigin],
      frames: [shopOrigin],
    })
    const { admin, app, session } = own
    t.same(await call('addresses', { query: { shop: before.shop } }), {
      shop: own,
      entrances: [{ label: 'Demo shop', admin, app, session }],
    })
    t.equal((await call('addresses', { query: { shop: 'example.com' } })).shop, null)
    t.match(await call('userAutofill', {}), { firstName: 'Mara', email: /@/ })
    const logo = await file('storeLogo', {})
    t.match(logo.type, 'image/')
    t.ok(logo.body.length > 100)
    t.same(await call('storeCapabilities', {}), withAllChanges.capabilities)
    // The platform of this shop has no such settings.
    t.equal((await refusal(call('storeConsent', {}))).status, 404)
    t.match(await call('storeStatus', {}), {
      sessions: 0,
      sessionLimit: 100_000,
      subscriptionStatus: 'Active',
    })
  })

  t.test('networks', async t => {
    t.same(await call('networks', {}), [])
    await run(
      db.kysely,
      `insert into network_visitors (store_id, visitor_id, network, seen_at) select $1, 'visitor-' || n, case when n < 12 then 'busy-network' else 'other' || n end, $2 from generate_series(0, 15) n`,
      [storeId, now.at],
    )
    t.match(await call('networks', {}), [
      {
        id: 'busy-network',
        visitors: 12,
        share: 0.75,
        orders: 0,
        firstSeenAt: now.at.toISOString(),
        decision: null,
      },
    ])
    t.same(
      await call('chooseNetwork', {
        params: { network: 'busy-network' },
        body: { isCounted: false },
      }),
      { ok: true },
    )
    t.match(await call('networks', {}), [{ decision: { kind: 'setAside', by: 'merchant' } }])
    await t.rejects(
      call('chooseNetwork', { params: { network: 'forgotten' }, body: { isCounted: true } }),
      like({ status: 404 }),
    )
  })

  t.test('plans', async t => {
    const plans = await call('plans', {})
    const plan = plans.find(p => p.title === 'Core' && !p.isAnnual)!
    const { confirmationUrl } = await call('subscribe', { params: { id: plan.id }, query: {} })
    t.ok(confirmationUrl.startsWith(shopOrigin))
    t.equal((await call('storeStatus', {})).pendingPlan, plan.id)
    await db.kysely
      .insertInto('discount_codes')
      .values({
        code: 'WALK',
        value_type: 0,
        value: 20,
        plan_id: plan.id,
        created_at: now.at,
      } as never)
      .execute()
    t.match(await call('checkDiscount', { params: { code: 'walk' } }), {
      isValid: true,
      valueType: 0,
      value: 20,
      planId: plan.id,
    })
    t.match(await call('checkDiscount', { params: { code: 'no' } }), { isValid: false })
    const { leadId } = await call('requestCustomPlan', {})
    t.same(
      await call('updateCustomPlan', {
        params: { id: leadId },
        query: { booking: true },
        body: { firstName: 'Mara', lastName: 'Lindqvist', email: 'mara@example.com' },
      }),
      { ok: true },
    )
    await t.rejects(
      call('updateCustomPlan', {
        params: { id: leadId },
        query: {},
        body: { firstName: '', lastName: '', email: 'mara' },
      }),
      like({
        status: 400,
        problem: { fields: [{ field: 'email', message: 'Value is not a valid email address' }] },
      } as never),
    )
  })

  t.test('brand style', async t => {
    await t.rejects(call('brandStyle', {}), like({ status: 404 }), 'there is none at first')
    await t.rejects(
      call('generateBrandStyle', {}),
      like({ status: 409, problem: { message: /no Chrome, Chromium or Edge/ } }),
      'without a browser; brand-styles.test.ts has one',
    )
    const saved = await call('saveBrandStyle', {
      body: { brandStyle: plainBrandStyle, availableFonts: plainFonts, update: false },
    })
    t.same(await call('brandFonts', {}), plainFonts)
    t.equal((await call('brandStyle', {}))!.id, saved.id)
  })

  t.test('analytics', async t => {
    await t.rejects(call('gaSettings', {}), like({ status: 404 }))
    const { url } = (await call('connectGa', {}))!
    t.match(await call('finishGa', { body: google.granted(url) }), {
      connected: true,
      enabled: false,
    })
    const accounts = (await call('gaAccounts', {}))!
    const {
      accountId,
      properties: [property],
    } = accounts[0]!
    const streams = (await call('gaMeasurementIds', {
      query: { propertyId: property!.propertyId },
    }))!
    t.match(streams, [{ measurementId: /^G-/ }])
    t.match(
      await call('setGaProperty', { body: { accountId, propertyId: property!.propertyId } }),
      {
        accountId,
        propertyId: property!.propertyId,
      },
    )
    t.equal((await call('enableGa', {})).enabled, true)
    t.equal((await call('disableGa', {})).enabled, false)
    t.match(await call('gaSettings', {}), { accountId, connected: true, enabled: false })
    await call('disconnectGa', {})
    await t.rejects(call('gaSettings', {}), like({ status: 404 }))
  })
}
