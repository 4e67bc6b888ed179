import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Opens a TCP connection, for requests that an HTTP client wouldn't send. */
export async function openSocket(url: string, localAddress?: string): Promise<Socket> {
  const { hostname: host, port } = new URL(url)
  const socket = connect({ host, port: Number(port), localAddress })
  await once(socket, 'connect')
  return socket
}

/** Sends a text and returns everything received until the server closes the connection. */
export async function converse(url: string, text: string): Promise<string> {
  const socket = await openSocket(url)
  let received = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    received += chunk
  })
  // The connection is reset if the server closes it without reading everything.
  socket.on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  return received
}

/** Parses status, headers and JSON body of a response. */
export function readAnswer(text: string): { status: number; headers: string; body: unknown } {
  const [headers = '', body = ''] = text.split('\r\n\r\n', 2)
  const json = body.startsWith('{') ? JSON.parse(body) : undefined
  return { status: Number(headers.split(' ')[1]), headers: headers.toLowerCase(), body: json }
}
