import type { FastifyBaseLogger } from 'fastify'
import { createTransport } from 'nodemailer'
import type { EngineConfig } from '../../config.ts'

export type Mail = {
  to: string
  subject: string
  text: string
  /** The address that an answer goes to, if not the sender's. */
  replyTo?: string
}
export type Mailer = {
  /**
   * Whether mails can be read by someone: they are sent by SMTP, or written to the log in
   * development.
   */
  isOn: boolean
  /** Sends a mail in the background. A failure is only logged. */
  send: (mail: Mail) => void
  /** Sends a mail. Rejects when the mail server did not take it, so that the caller can retry. */
  deliver: (mail: Mail) => Promise<void>
  /**
   * Runs work in the background, so that the response time reveals nothing about it (for example
   * whether an address is known).
   */
  apart: (work: () => Promise<void>) => void
  /** Settles when no mail and no background work is left. */
  close: () => Promise<void>
}

/** Timeout of each step of the conversation with the mail server. Milliseconds. */
const timeout = 10_000

/**
 * Sends mail by SMTP. Without SMTP, development writes mails to the log. Production does not, since
 * they contain links that let someone sign in.
 */
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
  async function deliver({ to, subject, text, replyTo }: Mail): Promise<void> {
    if (transport)
      await transport.sendMail({
        to: { name: '', address: to },
        subject,
        text,
        ...(replyTo !== undefined && { replyTo: { name: '', address: replyTo } }),
      })
    else if (isProduction)
      log.error({ subject }, 'mail is not configured (SMTP_URL, MAIL_FROM), so nothing was sent')
    else log.warn({ to, subject, text }, 'mail is not configured, so the mail is written here')
  }
  return {
    isOn: transport !== null || !isProduction,
    send: mail => apart(() => deliver(mail)),
    deliver,
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
