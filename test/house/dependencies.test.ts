import t from 'tap'
import { code, filesOf, text } from './tree.ts'

const { dependencies } = JSON.parse(text('package.json')) as {
  dependencies: Record<string, string>
}

t.test('the product or its build uses every production dependency', async t => {
  const product = [...code(), ...filesOf('public/*.css')]
    .filter(file => !/^(test|bench)\//.test(file))
    .map(text)
  for (const name of Object.keys(dependencies)) {
    // `import … from 'name'`, `import('name')`, or the path of one of its files.
    const used = new RegExp(`['"/]${name.replace('.', '\\.')}(/[^'"]*)?['"]`)
    t.ok(
      product.some(source => used.test(source)),
      name,
    )
  }
})
