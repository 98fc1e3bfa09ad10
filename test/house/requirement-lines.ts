export const requirementsPage = 'docs/requirements.md'

/**
 * Matches "- 3.12 A requirement. `test/engine/some.test.ts`", with one or more tests or "no test
 * yet".
 */
export const requirementLine = /^- (\d+)\.(\d+) (.+?)((?: `test\/[^`]+`)+| no test yet)$/

type RequirementLine = {
  id: string
  section: number
  number: number
  words: string
  tests: string[]
}
export const requirementLines = (source: string): RequirementLine[] =>
  source.split('\n').flatMap(line => {
    const [, section, number, words, tests] = requirementLine.exec(line) ?? []
    return section === undefined
      ? []
      : [
          {
            id: `${section}.${number}`,
            section: Number(section),
            number: Number(number),
            words: words!,
            tests: [...tests!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!),
          },
        ]
  })
