import { HttpProblem } from '../../../domain/problem.ts'

/** The platform's name of a thing: "gid://shopify/Product/101". */
export const gid = (type: string, id: string | number): string => `gid://shopify/${type}/${id}`

/** The shop's own id in a name of this type; null when it is no such name. */
export function idIn(type: string, text: string): string | null {
  const [, named, id] = /^gid:\/\/shopify\/(\w+)\/([\w-]{1,64})$/.exec(text) ?? []
  return named === type && id !== undefined ? id : null
}

/** Throws HttpProblem 422 for a name of another type, as the platform refuses such a variable. */
export function requiredId(type: string, text: string): string {
  const id = idIn(type, text)
  if (id === null) throw new HttpProblem(422, `Invalid global id '${text}'`)
  return id
}
