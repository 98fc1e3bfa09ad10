import type { FastifyBaseLogger } from 'fastify'
import { createTransport } from 'nodemailer'
import type { EngineConfig } from '../../config.ts'

export type Mail = { to: string; subject: string; text: string }
export type Mailer = {
  /** Whether mail reaches anybody: by SMTP, or in development the one who reads the log. */
  isOn: boolean
  /** Hands a mail over; it is sent in the background, and a failure told in the log. */
  send: (mail: Mail) => void
  /** Work whose time nobody may measure, such as whether an address is known. */
  apart: (work: () => Promise<void>) => void
  /** Settles when nothing is under way any more. */
  close: () => Promise<void>
}

/** Milliseconds for each step of the conversation with the server. */
const timeout = 10_000

/** Mail by SMTP. Without it, mails are written to the log in development; in production they are not, since they hold links that sign in. */
export function mailer(
  { SMTP_URL, MAIL_FROM, NODE_ENV }: EngineConfig,
  log: FastifyBaseLogger,
): Mailer {
  const transport = SMTP_URL ? createTransport(withTimeout(SMTP_URL), { from: MAIL_FROM }) : null
  const underWay = new Set<Promise<void>>()
  const isProduction = NODE_ENV === 'production'

  const apart: Mailer['apart'] = work => {
    const doing = work()
      .catch((error: unknown) => log.error({ err: error }, 'a mail was not sent'))
      .finally(() => underWay.delete(doing))
    underWay.add(doing)
  }
  return {
    isOn: transport !== null || !isProduction,
    send: ({ to, subject, text }) => {
      if (transport)
        apart(async () => {
          await transport.sendMail({ to: { name: '', address: to }, subject, text })
        })
      else if (isProduction)
        log.error({ subject }, 'mail is not configured (SMTP_URL, MAIL_FROM), so nothing was sent')
      else log.warn({ to, subject, text }, 'mail is not configured, so it stands here')
    },
    apart,
    close: async () => {
      while (underWay.size > 0) await Promise.all(underWay)
      transport?.close()
    },
  }
}

function withTimeout(smtpUrl: string): string {
  const url = new URL(smtpUrl)
  for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout'])
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(timeout))
  return url.href
}
