import { existsSync, readFileSync } from 'node:fs'
import type { Declared } from './webhook-subscriptions.ts'
import { sentTopics } from './webhook-topics.ts'

/** What the app's configuration file declares to the platform, as far as it is acted on here. */
export type AppConfig = { webhooks: readonly Declared[]; optionalScopes: readonly string[] }

/** Our configuration, which the platform's own tool deploys. */
export const appConfigFile = new URL('../../shopify/shopify.app.toml', import.meta.url)

const texts = (list: string): string[] => [...list.matchAll(/"([^"]*)"/g)].map(([, text]) => text!)
/** The value of a key in a table, over several lines if it is a list. */
function valueIn(table: string, key: string): string {
  const lines = table.split('\n')
  const at = lines.findIndex(line => line.split('=')[0]!.trim() === key)
  if (at < 0) return ''
  const rest = lines.slice(at).join('\n')
  const value = rest.slice(rest.indexOf('=') + 1).trimStart()
  return value.startsWith('[') ? value.slice(0, value.indexOf(']') + 1) : value.split('\n')[0]!
}

/** Reads the subscriptions and optional scopes of a configuration file in TOML. */
export function readAppConfig(toml: string): AppConfig {
  const lines = toml.split('\n').map(line => (/^\s*#/.test(line) ? '' : line))
  const tables = `\n${lines.join('\n')}`.split(/\n\s*(?=\[)/)
  const named = (name: string) => tables.filter(table => table.startsWith(name))
  return {
    webhooks: named('[[webhooks.subscriptions]]').flatMap(table => {
      const [uri = ''] = texts(valueIn(table, 'uri'))
      return ['topics', 'compliance_topics']
        .flatMap(key => texts(valueIn(table, key)))
        .map(topic => ({ topic, uri }))
    }),
    optionalScopes: named('[access_scopes]').flatMap(table =>
      texts(valueIn(table, 'optional_scopes')),
    ),
  }
}

/** Our own configuration; without the file, every topic at an address that names it. */
export const ownAppConfig = (file: URL = appConfigFile): AppConfig =>
  existsSync(file)
    ? readAppConfig(readFileSync(file, 'utf8'))
    : {
        webhooks: [...sentTopics].map(topic => ({
          topic,
          uri: `/webhooks/shopify/${topic.replace('/', '-')}`,
        })),
        optionalScopes: [],
      }
