import t from 'tap'
import {
  copyNotFound,
  copySuffix,
  copyThemeName,
  templateCopyProblem,
  themeCopyProblem,
} from '../../../domain/themes/merchant-copy.ts'

const id = '1a2b3c4d-0000-4000-8000-000000000000'
const template = (sections: Record<string, { type: string }>) => ({
  format: 'json' as const,
  body: `/* written by the editor */ ${JSON.stringify({ sections, order: Object.keys(sections) })}`,
})
const original = { name: 'product', ...template({ main: { type: 'main-product' } }) }

t.test('a copy has a name that belongs to its draft', async t => {
  t.equal(copySuffix(id), 'ts-1a2b3c')
  t.equal(copyThemeName('Kiln', id), 'Kiln ts-1a2b3c')
  t.equal(
    copyNotFound({ kind: 'template', original: 'product', name: 'product.ts-1a2b3c' }),
    'There is no copy of product yet. In your shop’s admin, copy the template under the name product.ts-1a2b3c, then look for it again.',
  )
})

t.test('a template fits if it was changed, but not if it is another one', async t => {
  const copy = (of: Parameters<typeof template>[0]) => ({ name: 'product.x', ...template(of) })
  t.equal(templateCopyProblem(original, copy({ main: { type: 'main-product' } })), null)
  t.equal(
    templateCopyProblem(
      original,
      copy({ story: { type: 'story' }, other: { type: 'main-product' } }),
    ),
    null,
  )
  t.match(
    templateCopyProblem(original, copy({ grid: { type: 'collection-grid' } })),
    /product\.x has no section of product/,
  )
  t.match(templateCopyProblem(original, copy({})), /no section/)
  for (const wrong of [
    { format: 'liquid' as const, body: original.body },
    { format: 'json' as const, body: '{' },
  ])
    t.match(templateCopyProblem(original, { name: 'product.x', ...wrong }), /cannot be read/)
  const empty = { name: 'page', ...template({}) }
  t.equal(templateCopyProblem(empty, copy({ any: { type: 'text' } })), null)
})

t.test('a theme is a copy when it lacks no file of the original', async t => {
  const kiln = { name: 'Kiln', files: ['a', 'b', 'c', 'd', 'e'] }
  t.equal(themeCopyProblem(kiln, { name: 'Mine', files: ['e', 'd', 'c', 'b', 'a', 'f'] }), null)
  t.equal(
    themeCopyProblem(kiln, { name: 'Mine', files: ['a', 'b', 'c', 'd'] }),
    'Mine lacks files of Kiln: e. Duplicate Kiln again.',
  )
  t.match(themeCopyProblem(kiln, { name: 'Mine', files: ['a'] }), /b, c, d and 1 more/)
})
