import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { shopApiTypes } from '../../domain/shop-api.ts'

t.test('the types that a shop’s developer copies are those of what the script answers with', t => {
  const folder = mkdtempSync(join(tmpdir(), 'shop-api-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  // Under another name: ours is in the window already.
  writeFileSync(join(folder, 'twinshelf.d.ts'), shopApiTypes.replace('interface Window', 'interface Copied'))
  const ours = join(process.cwd(), 'storefront/api.ts').replace(/\\/g, '/')
  writeFileSync(join(folder, 'use.ts'), `
    import type { ShopApi } from '${ours}'
    type Told = NonNullable<Copied['twinshelf']>
    const told: Told = {} as ShopApi
    const meant: ShopApi = {} as Told
    console.log(told, meant)
  `)
  const { status, stdout } = spawnSync('tsc', ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions', '--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'esnext', '--lib', 'esnext,dom,dom.iterable', join(folder, 'use.ts'), join(folder, 'twinshelf.d.ts')], { encoding: 'utf8' })
  t.equal(stdout, '')
  t.equal(status, 0)
  t.end()
})
