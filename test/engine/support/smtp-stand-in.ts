import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

export type SentMail = {
  from: string
  to: string
  source: string
  /** Its text, decoded. */ text: string
}
export type SmtpStandIn = {
  env: { SMTP_URL: string; MAIL_FROM: string }
  /** Takes the next mail, and waits for it if there is none. */
  next: () => Promise<SentMail>
  /** The number of mails that were not taken with `next`. */
  waiting: () => number
  /** Opens or closes the server. A closed server refuses every recipient. */
  isOpen: (open: boolean) => void
  /** Holds its answers to mails that it has received, until the returned function is called. */
  hold: () => () => void
  close: () => Promise<void>
}

/** A mail server with only the SMTP commands that sending a mail needs. */
export async function smtpStandIn(): Promise<SmtpStandIn> {
  const mails: SentMail[] = []
  const takers: ((mail: SentMail) => void)[] = []
  const sockets = new Set<Socket>()
  let isOpen = true
  let held: (() => void)[] | null = null
  const deliver = (mail: SentMail) => {
    const taker = takers.shift()
    if (taker) taker(mail)
    else mails.push(mail)
  }
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    let input = '',
      from = '',
      to = '',
      isData = false
    const say = (line: string) => socket.write(`${line}\r\n`)
    say('220 stand-in')
    socket.on('data', (chunk: Buffer) => {
      input += chunk.toString()
      for (;;) {
        const end = input.indexOf(isData ? '\r\n.\r\n' : '\r\n')
        if (end < 0) return
        const line = input.slice(0, end)
        input = input.slice(end + (isData ? 5 : 2))
        if (isData) {
          isData = false
          const taken = () => say('250 taken')
          if (held) held.push(taken)
          else taken()
          deliver({ from, to, source: line, text: decoded(line) })
        } else if (/^(EHLO|HELO)/i.test(line)) say('250 stand-in')
        else if (/^MAIL FROM:/i.test(line)) {
          from = addressIn(line)
          say('250 ok')
        } else if (/^RCPT TO:/i.test(line)) {
          to = addressIn(line)
          say(isOpen ? '250 ok' : '550 nobody here')
        } else if (/^DATA/i.test(line)) {
          isData = true
          say('354 go on')
        } else if (/^QUIT/i.test(line)) {
          say('221 bye')
          socket.end()
        } else say('250 ok')
      }
    })
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    env: {
      SMTP_URL: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
      MAIL_FROM: 'Twinshelf <no-reply@twinshelf.test>',
    },
    next: () => {
      const mail = mails.shift()
      return mail ? Promise.resolve(mail) : new Promise(resolve => takers.push(resolve))
    },
    waiting: () => mails.length,
    isOpen: open => {
      isOpen = open
    },
    hold: () => {
      const own: (() => void)[] = (held = [])
      return () => {
        held = null
        for (const answer of own) answer()
      }
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const addressIn = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? ''
/** The body of a mail, with quoted-printable decoded. */
function decoded(source: string): string {
  const [head, ...body] = source.split('\r\n\r\n')
  const text = body.join('\r\n\r\n')
  return /quoted-printable/i.test(head!)
    ? text
        .replace(/=\r\n/g, '')
        .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    : text
}
