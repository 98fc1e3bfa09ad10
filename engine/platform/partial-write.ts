import { HttpProblem } from '../../domain/problem.ts'

/**
 * A write of several things of which the platform made only a part. Only platforms without
 * `wholeWrites` throw it. The items are named as the caller named them: files by name, resources
 * and product variants by id.
 */
export class PartialWrite extends HttpProblem {
  readonly done: string[]
  readonly failed: { item: string; message: string }[]
  constructor(done: string[], failed: { item: string; message: string }[]) {
    super(422, failed.map(({ item, message }) => `${item}: ${message}`).join(' '))
    this.done = done
    this.failed = failed
  }
}
