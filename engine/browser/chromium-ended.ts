import { FewAttempts } from '../jobs/jobs.ts'

/**
 * The browser ended before its work was done. The page that caused this may do it again, so a job
 * makes only two attempts.
 */
export class BrowserEnded extends FewAttempts {
  constructor(message: string) {
    super(message, 2)
  }
}
export const tooMuch =
  'A page of the shop sent our browser too much data, so we closed it. Look for a script that writes to the console without end.'
export const browserStopped =
  'Our browser stopped while it had a page of the shop open. The page may need more memory than a browser is given here.'
