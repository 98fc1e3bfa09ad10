// Loaded before any Node process (NODE_OPTIONS='--import …'): a share of the requests that its servers get wait for a
// while before they are looked at, as on a slow machine or line. What takes for granted that something has happened by
// then comes to light. SLOW_ANSWERS seeds it; the order of requests, and so what is slow, is never quite the same.
import { Server } from 'node:http'

const share = 0.3,
  longest = 900
let state = (Number(process.env.SLOW_ANSWERS) || 1) * 7919 + process.pid
const random = () => (state = (state * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff

const { emit } = Server.prototype
Server.prototype.emit = function (name, ...given) {
  if (
    (name !== 'request' && name !== 'upgrade') ||
    random() >= share ||
    /^\/(healthz|readyz)/.test(given[0].url)
  )
    return emit.call(this, name, ...given)
  setTimeout(() => {
    // Nobody would answer, or close, what comes to a server that is closed.
    if (this.listening) emit.call(this, name, ...given)
    else given[0].socket.destroy()
  }, random() * longest)
  return true
}
