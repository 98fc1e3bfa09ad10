import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { Convert } from 'typebox/value'

export type Env = Record<string, string | undefined>

/** Keys that more than one program reads. */
export const configKey = {
  port: Type.Integer({ minimum: 0, maximum: 65535 }),
  origin: Type.String({ pattern: '^https?://[^/]+$' }),
  /**
   * Proxies whose X-Forwarded-For we believe: addresses, networks, or names that the package
   * proxy-addr knows, separated by commas.
   */
  trustProxy: Type.String({ pattern: '^[\\w.:/]+(, *[\\w.:/]+)*$' }),
}

/** The values in the environment for the keys of a schema. An empty value counts as missing. */
export const givenOf = (schema: Type.TObject, env: Env): Record<string, string> =>
  Object.fromEntries(
    Object.keys(schema.properties).flatMap(key => {
      const value = env[key]
      return value ? [[key, value]] : []
    }),
  )

/**
 * Converts the values to the types of a schema. Throws one Error that names all missing and wrong
 * keys, but no values. `wrong`: problems that the caller has found, which come first.
 */
export function checkedConfig<S extends Type.TObject>(
  schema: S,
  values: Record<string, string | undefined>,
  wrong: string[] = [],
): Type.Static<S> {
  const config = Convert(schema, values),
    check = Compile(schema)
  const problems = check.Check(config)
    ? []
    : check
        .Errors(config)
        .map(error =>
          error.keyword === 'required'
            ? `${(error.params as { requiredProperties: string[] }).requiredProperties.join(', ')} missing`
            : `${error.instancePath.slice(1)} ${error.message}`,
        )
  const all = [...wrong, ...problems]
  if (all.length > 0) throw new Error(`Configuration: ${all.join('; ')}.`)
  return config as Type.Static<S>
}
