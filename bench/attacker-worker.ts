import { connect } from 'node:net'
import { workerData } from 'node:worker_threads'

/** What each of the connections sends again and again: `parts` at once, then the next ones when all are answered. */
export type Attack = { parts: string[]; atOnce: number; reads: boolean; connections?: number }

const RECONNECT_MS = 20

const { port, attack }: { port: number; attack: Attack } = workerData
const { connections = 50 } = attack
for (let index = 0; index < connections; index++) open(Math.floor((index / connections) * attack.parts.length))

function open(from: number): void {
  const { parts, atOnce, reads } = attack
  const socket = connect({ port, host: '127.0.0.1' })
  let next = from
  let due = 0
  const send = () => {
    const texts = Array.from({ length: atOnce }, () => parts[next++ % parts.length] ?? '')
    due = atOnce
    socket.write(texts.join(''))
  }
  socket.on('connect', send)
  if (reads) {
    // Responses may be split between chunks; a missed one ends with the connection.
    socket.on('data', (chunk) => {
      due -= chunk.toString('latin1').split('HTTP/1.1 ').length - 1
      if (due <= 0) send()
    })
  } else socket.pause()
  socket.on('error', () => {})
  socket.on('close', () => setTimeout(open, RECONNECT_MS, next))
}
