import { globSync } from 'node:fs'
import { build, type BuildOptions } from 'esbuild'
import t from 'tap'
import { bundleStorefront } from '../../scripts/build/build-storefront.ts'
import { appFloor, shopperFloor, type Since } from '../../scripts/build/browser-floor.ts'
import { stylesheet } from '../../scripts/build/stylesheet.ts'
import { markupFeatures, scriptFeatures, styleFeatures, type Feature } from './browser-features.ts'
import { filesOf, text } from './tree.ts'

const browsers = ['chrome', 'firefox', 'safari'] as const
/** The browsers at the floor versions that do not have the feature. */
const without = (feature: Since, floor: Since) =>
  browsers.filter(browser => (feature[browser] ?? Infinity) > floor[browser]!)
const isAbove = (feature: Feature, floor: Since) =>
  !feature.harmless && without(feature, floor).length > 0
/** The places of features that a browser at the floor versions does not have. */
const tooNew = (features: Feature[], floor: Since, texts: Map<string, string>): string[] =>
  features
    .filter(feature => isAbove(feature, floor))
    .flatMap(feature =>
      [...texts].flatMap(([name, text]) => {
        const found = feature.pattern.exec(text)
        return found
          ? [
              `${name}: ${text.slice(Math.max(0, found.index - 30), found.index + 40)} (not in ${without(feature, floor).join(', ')})`,
            ]
          : []
      }),
    )

/** The project's own files in these scripts, without their comments. */
async function filesOfScript(options: BuildOptions): Promise<Map<string, string>> {
  const { metafile } = await build({
    ...options,
    bundle: true,
    splitting: false,
    write: false,
    metafile: true,
    format: 'esm',
    outdir: 'out',
    logLevel: 'silent',
  })
  return new Map(
    Object.keys(metafile.inputs)
      .filter(file => !file.includes('node_modules'))
      .map(file => [file, withoutComments(text(file))]),
  )
}
const withoutComments = (source: string) => source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

t.test('no script of the app uses a feature that its oldest browsers do not have', async t => {
  const files = await filesOfScript({ entryPoints: ['islands/page.ts', 'islands/boot.ts'] })
  t.ok(files.has('islands/page/modals.ts') && files.size > 50)
  t.same(tooNew(scriptFeatures, appFloor, files), [])
})

t.test('the shopper’s script uses no feature that shoppers’ oldest browsers lack', async t => {
  const {
    sources: { runtimes, parts, acts },
  } = await bundleStorefront()
  t.same(
    tooNew(
      scriptFeatures,
      shopperFloor,
      new Map(Object.entries({ ...runtimes, ...parts, ...acts })),
    ),
    [],
  )
})

t.test('no page’s markup uses a feature that the app’s oldest browsers lack', async t => {
  const files = new Map(
    filesOf('{views,islands}/**/*.tsx').map(file => [file, withoutComments(text(file))]),
  )
  t.same(tooNew(markupFeatures, appFloor, files), [])
})

t.test('no built stylesheet uses a feature that the app’s oldest browsers lack', async t => {
  const sheets = new Map<string, string>()
  for (const file of ['public/app.css', ...globSync('public/sheets/*.css')])
    sheets.set(file, Buffer.from(await stylesheet(file)).toString())
  t.same(tooNew(styleFeatures, appFloor, sheets), [])
})

t.test('every dialog is opened and closed by links, which need no script', async t => {
  const views = filesOf('{views,islands}/**/*.tsx').map(file => [file, text(file)] as const)
  t.same(
    views.filter(([, source]) => /\bcommand(for)?=/.test(source)).map(([file]) => file),
    [],
    'browsers without invoker commands ignore these attributes',
  )
  // The one dialog of a script asks before another one closes.
  const own = ['islands/modal/modal.tsx']
  t.same(
    views
      .filter(([, source]) => source.includes('<dialog'))
      .map(([file]) => file)
      .filter(file => !own.includes(file))
      .filter(file => !/<Close\b|data-close|<AudienceDialogForm/.test(text(file))),
    [],
    'every dialog has a link that leads to the page without it',
  )
})

t.test('README and operators’ guide name the oldest supported browsers', async t => {
  t.match(
    text('README.md'),
    `Chrome ${appFloor.chrome}, Firefox ${appFloor.firefox} and Safari ${appFloor.safari}`,
  )
  t.match(
    text('docs/operators.md'),
    `Chrome ${shopperFloor.chrome}, Firefox ${shopperFloor.firefox} and Safari ${shopperFloor.safari}`,
  )
})
