import { readFileSync } from 'node:fs'
import t from 'tap'
import { shopApiTypes } from '../../../domain/script/shop-api.ts'

t.test('the types for shop developers match the script’s API', t => {
  const source = readFileSync('storefront/api.ts', 'utf8')
  const own = source.slice(source.indexOf('export type ShopApi'), source.indexOf('declare global'))
  const fields = /export type VisitorData = \{([^}]*)\}/.exec(source)![1]!
  const data = `{ ${fields.trim().replace(/\n\s*/g, '; ')} }`
  const members = (text: string) =>
    [...text.matchAll(/^ +(\w+\??: .*)$/gm)]
      .map(match => match[1]!.replace('VisitorData', data))
      .filter(member => !member.endsWith('{'))
  t.same(members(shopApiTypes), members(own))
  t.equal(members(own).length, 4)
  t.end()
})
