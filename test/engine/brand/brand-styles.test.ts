import t from 'tap'
import type { BrandStyle, FontEntry } from '../../../domain/brand/brand-style.ts'
import { firstShop } from '../support/small-shop.ts'
import { like } from '../support/like.ts'
import { startWithShop } from '../support/with-shop.ts'

const own = await startWithShop()
const { platform } = own
t.teardown(own.close)
const generate = () =>
  own.call('generateBrandStyle', {}) as Promise<{ brandStyle: BrandStyle; fonts: FontEntry[] }>
const themeOf = async (role: 'live' | 'unpublished') =>
  (await platform.themes(firstShop)).find(theme => theme.role === role)!

/** The brand styles of the two demo themes, read by hand from their stylesheets and settings. */
const themes = {
  Kiln: {
    title: { family: 'Georgia', weight: 400, style: 'normal' },
    body: { family: 'Georgia', weight: 400, style: 'normal' },
    label: { family: 'Inter', weight: 400, style: 'normal' },
    buttonText: { family: 'Inter', weight: 500, style: 'normal' },
    // Cards have no background, pictures have a radius of 4px. The hero's background is --sand;
    // .button--plain has an outline in --accent.
    Product: {
      colours: { background: '#fbf8f3', heading: '#2d2620', text: '#6b5f52', border: null },
      shape: 'SemiRound',
    },
    Highlight: {
      colours: {
        background: '#efe7da',
        heading: '#2d2620',
        text: '#51483f',
        buttonBackground: '#7a4a2b',
        buttonText: '#ffffff',
      },
      buttonStyle: 'Filled',
      buttonSize: 'medium',
    },
    Content: {
      colours: {
        background: '#fbf8f3',
        heading: '#2d2620',
        text: '#51483f',
        buttonBackground: null,
        buttonText: '#7a4a2b',
        buttonBorder: '#7a4a2b',
      },
      buttonStyle: 'Outline',
      buttonSize: 'medium',
    },
  },
  Harbour: {
    title: { family: 'Avenir Next', weight: 700, style: 'normal' },
    body: { family: 'Avenir Next', weight: 400, style: 'normal' },
    label: { family: 'Avenir Next', weight: 600, style: 'normal' },
    buttonText: { family: 'Avenir Next', weight: 700, style: 'normal' },
    Product: {
      colours: { background: '#ffffff', heading: '#15242f', text: '#55646f', border: '#d9e0e4' },
      shape: 'None',
    },
    Highlight: {
      colours: {
        background: '#143245',
        heading: '#ffffff',
        text: '#cfdbe2',
        buttonBackground: '#c2472b',
        buttonText: '#ffffff',
      },
      shape: 'None',
      buttonStyle: 'Filled',
      buttonSize: 'large',
    },
    Content: {
      colours: { background: '#ffffff', heading: '#15242f' },
      shape: 'None',
      buttonStyle: 'Filled',
      buttonSize: 'large',
    },
  },
} as const

for (const [name, expected] of Object.entries(themes)) {
  await t.test(`${name}: the style is what its CSS says`, async t => {
    if ((await themeOf('live')).name !== name)
      await own.merchant.publishTheme(firstShop, (await themeOf('unpublished')).id)
    const { brandStyle, fonts } = await generate()
    for (const part of ['title', 'body', 'label', 'buttonText'] as const)
      t.same(brandStyle[part], expected[part], part)
    for (const kind of ['Product', 'Highlight', 'Content'] as const)
      t.match(
        brandStyle.patterns.find(pattern => pattern.kind === kind),
        expected[kind],
        kind,
      )
    t.same(
      fonts.filter(font => font.source !== 'system' || font.stylesheet !== null),
      [],
      'neither theme declares fonts of its own',
    )
    t.ok(
      fonts.some(
        font => font.family === expected.title.family && font.weight === expected.title.weight,
      ),
    )
    t.same(await generate(), { brandStyle, fonts }, 'a second reading gives the same style')
    t.same(
      await own.call('brandStyle', {}).catch((error: { status: number }) => error.status),
      404,
      'reading stores nothing',
    )
  })
}

t.test(
  'fonts: declared by the theme, by a font host, or in use on the visitor’s device',
  async t => {
    const live = await themeOf('live')
    const [layout] = await platform.themeFiles(firstShop, live.id, ['layout/theme.liquid'])
    const head = `<link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Work+Sans:ital,wght@0,400;1,700&family=Lora&display=swap"><style>@font-face { font-family: "Own Face"; src: url(/own.woff2); font-weight: 300 500; font-style: italic } h1 { font-family: Lora }</style></head>`
    await own.merchant.writeThemeFiles(firstShop, live.id, [
      { name: layout!.name, body: layout!.body.replace('</head>', head) },
    ])
    t.teardown(() => own.merchant.writeThemeFiles(firstShop, live.id, [layout!]))
    const { brandStyle, fonts } = await generate()
    t.equal(brandStyle.title.family, 'Lora')
    const sheet =
      'https://fonts.googleapis.com/css2?family=Work+Sans:ital,wght@0,400;1,700&family=Lora&display=swap'
    t.same(
      fonts.filter(font => font.family === 'Work Sans'),
      [
        { family: 'Work Sans', style: 'italic', weight: 700, source: 'web', stylesheet: sheet },
        { family: 'Work Sans', style: 'normal', weight: 400, source: 'web', stylesheet: sheet },
      ],
    )
    t.match(
      fonts.filter(font => font.family === 'Own Face'),
      [300, 400, 500].map(weight => ({
        family: 'Own Face',
        style: 'italic',
        weight,
        source: 'theme',
        stylesheet: `${own.shopOrigin}/`,
      })),
    )
    t.match(
      fonts.find(font => font.family === 'Lora' && font.weight === 400),
      { source: 'web', stylesheet: sheet },
    )
    t.ok(fonts.some(font => font.source === 'system'))
  },
)

t.test('a brand style is saved, edited and imported again', async t => {
  const { brandStyle, fonts } = await generate()
  t.match(brandStyle, { id: null, updatedAt: null })
  await t.rejects(
    own.call('saveBrandStyle', { body: { brandStyle, availableFonts: fonts, update: true } }),
    like({ status: 404 }),
    'there is no brand style to edit yet',
  )
  const first = (await own.call('saveBrandStyle', {
    body: { brandStyle, availableFonts: fonts, update: false },
  }))!
  t.match(first, { ...brandStyle, id: String, updatedAt: own.now.at.toISOString() })
  t.same(await own.call('brandStyle', {}), first)

  own.now.at = new Date(own.now.at.getTime() + 60_000)
  const edited = (await own.call('saveBrandStyle', {
    body: {
      brandStyle: { ...first, title: { family: 'Lora', weight: 600, style: 'italic' } },
      availableFonts: fonts,
      update: true,
    },
  }))!
  t.match(edited, {
    id: first.id,
    updatedAt: own.now.at.toISOString(),
    title: { family: 'Lora', weight: 600, style: 'italic' },
  })
  const kept = {
    family: 'Kept by hand',
    weight: 400,
    style: 'normal' as const,
    source: 'web' as const,
    stylesheet: 'https://fonts.example.com/kept.css',
  }
  const anew = (await own.call('saveBrandStyle', {
    body: { brandStyle, availableFonts: [...fonts, kept], update: false },
  }))!
  t.not(anew.id, first.id)
  await t.rejects(
    own.call('saveBrandStyle', {
      body: { brandStyle: edited, availableFonts: fonts, update: true },
    }),
    like({ status: 409 }),
    'editing a replaced brand style is a conflict',
  )
  const chosen = (await own.call('brandFonts', {}))!
  t.ok(
    chosen.some(font => font.family === 'Kept by hand'),
    'fonts of the saved style',
  )
  for (const font of fonts)
    t.ok(
      chosen.some(one => JSON.stringify(one) === JSON.stringify(font)),
      'and fonts that the theme has now',
    )

  for (const [field, body] of [
    [
      'brandStyle.patterns.0.buttonSize',
      { ...brandStyle, patterns: [{ ...brandStyle.patterns[0]!, buttonSize: 'huge' }] },
    ],
    ['brandStyle.title.weight', { ...brandStyle, title: { ...brandStyle.title, weight: 0 } }],
    ['brandStyle.storeId', { ...brandStyle, storeId: 'x' }],
  ] as const) {
    const error = await own
      .call('saveBrandStyle', {
        body: { brandStyle: body as unknown as BrandStyle, availableFonts: [], update: false },
      })
      .then(
        () => null,
        (e: { status: number; problem: { fields?: { field: string }[] } }) => e,
      )
    t.equal(error?.status, 400, field)
    t.ok(
      error?.problem.fields?.some(one => one.field.startsWith(field)),
      `${field} is named: ${JSON.stringify(error?.problem.fields)}`,
    )
  }
  t.same(await own.call('brandStyle', {}), anew, 'the invalid styles were not stored')
})

t.test('a shop whose home page redirects, as to a password page, cannot be read', async t => {
  const { id } = await platform.createUrlRedirect(firstShop, { path: '/', target: '/pages/about' })
  await t.rejects(
    own.call('generateBrandStyle', {}),
    like({ status: 409, problem: { message: /asks for a password or redirects elsewhere/ } }),
  )
  await platform.deleteUrlRedirect(firstShop, id)
  t.ok((await generate()).fonts.length > 0, 'once the home page is open again, it is read')
})

t.test('when the shop is down, reading fails and saved fonts are still listed', async t => {
  await own.shop.app.close()
  await t.rejects(own.call('generateBrandStyle', {}), like({ status: 502 }))
  t.ok((await own.call('brandFonts', {}))!.length > 0, 'saved fonts are still listed')
})
