import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { optionalScopes, shopifyScopes } from '../../engine/platform/shopify/scopes.ts'
import { shopifyTopics } from '../../engine/platform/shopify/webhooks/shopify-topics.ts'

const file = new URL('../../shopify/shopify.app.toml', import.meta.url)

/** What the app's own configuration says. The rest of shopify.app.toml is the same everywhere. */
export type AppAbout = {
  clientId: string
  handle: string
  /** Public origin of the app. */
  origin: string
  writesThemes: boolean
  readsRollouts: boolean
}

/** The configuration that Shopify's command deploys. */
export function appConfig(about: AppAbout): string {
  const scopes = [
    ...Object.keys(shopifyScopes),
    ...(about.writesThemes ? ['write_themes'] : []),
    ...(about.readsRollouts ? ['read_rollouts'] : []),
  ]
  return readFileSync(file, 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace('CLIENT_ID', () => about.clientId)
    .replace('APP_HANDLE', () => about.handle)
    .replace('SCOPES', () => scopes.join())
    .replaceAll('https://app.example', () => about.origin)
}

type Written = {
  client_id?: string
  application_url?: string
  embedded?: boolean
  access_scopes?: { scopes?: string; use_legacy_install_flow?: boolean }
  webhooks?: {
    api_version?: string
    subscriptions?: { topics?: string[]; compliance_topics?: string[]; uri?: string }[]
  }
}
/** Topics about data of persons: every app must take them, and they are declared apart. */
const complianceTopics = ['customers/data_request', 'customers/redact', 'shop/redact']

/** What is wrong with a configuration: it must say what the adapter expects. */
export function appConfigProblems(text: string, apiVersion: string): string[] {
  const problems: string[] = []
  const expect = (what: string, found: unknown, wanted: unknown): void => {
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      problems.push(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`)
  }
  const written = parse(text) as Written
  if (!(written.application_url ?? '').startsWith('https://'))
    problems.push('application_url must be the https address of the app')
  expect('embedded', written.embedded, true)
  const { scopes = '', use_legacy_install_flow } = written.access_scopes ?? {}
  const known = [...Object.keys(shopifyScopes), ...Object.keys(optionalScopes)]
  const asked = scopes.split(',')
  expect(
    'unknown scopes',
    asked.filter(scope => !known.includes(scope)),
    [],
  )
  expect(
    'scopes that are not asked for',
    Object.keys(shopifyScopes).filter(scope => !asked.includes(scope)),
    [],
  )
  expect('use_legacy_install_flow', use_legacy_install_flow, false)
  const { api_version, subscriptions = [] } = written.webhooks ?? {}
  expect('version of webhooks', api_version, apiVersion)
  const topics = Object.keys(shopifyTopics)
  const isCompliance = (topic: string) => complianceTopics.includes(topic)
  expect(
    'topics',
    subscriptions.flatMap(({ topics = [] }) => topics).sort(),
    topics.filter(topic => !isCompliance(topic)).sort(),
  )
  expect(
    'compliance topics',
    subscriptions.flatMap(({ compliance_topics = [] }) => compliance_topics).sort(),
    topics.filter(isCompliance).sort(),
  )
  for (const { topics = [], compliance_topics = [], uri } of subscriptions)
    for (const topic of [...topics, ...compliance_topics])
      expect(`address of ${topic}`, uri, `/webhooks/shopify/${topic.replace('/', '-')}`)
  return problems
}
