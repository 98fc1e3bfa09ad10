import { passOn, toldApis } from '../../storefront/page-apis/pass-on.ts'

const apis = toldApis()
const loadFeatures = window.Shopify?.loadFeatures
// The platform's privacy API is there only after a script has asked for it.
if (apis.privacy && loadFeatures)
  loadFeatures([{ name: 'consent-tracking-api', version: '0.1' }], () => passOn(apis))
else passOn(apis)
