import t from 'tap'
import { addressInAdmin, pathInAdmin } from '../../../domain/stores/host-address.ts'

const pathOf = (address: string) => pathInAdmin(new URL(address, 'https://app.example'))

t.test('an address in the admin names the page without the session’s parameters', async t => {
  t.equal(pathOf('/?embedded=1&shop=a.shop.test&host=aG9z&timestamp=1&hmac=ab&signed_in=5'), '/')
  t.equal(pathOf('/tests/1?goal=acr&shop=a.shop.test&host=aG9z#orders'), '/tests/1?goal=acr')
  t.equal(pathOf('/tests/1?launched&host=aG9z'), '/tests/1?launched')
  t.equal(
    pathOf('/tests/list/drafts?search=a%26shop%3Db&shopping=1'),
    '/tests/list/drafts?search=a%26shop%3Db&shopping=1',
  )
})

t.test('the first page has the app’s address without a path', async t => {
  const app = 'https://admin.example/apps/twinshelf'
  t.equal(addressInAdmin(app, '/'), app)
  t.equal(addressInAdmin(app, '/?search=mug'), `${app}?search=mug`)
  t.equal(addressInAdmin(app, '/tests/1?goal=acr'), `${app}/tests/1?goal=acr`)
})
