import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A plain connection to the server at `url`, for what no HTTP client would send. */
export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return socket
}

/** Sends the text, and gives back all that arrives until the server closes. */
export async function converse(url: string, text: string): Promise<string> {
  const socket = await openSocket(url)
  let received = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    received += chunk
  })
  // A server that has answered and closes without reading the rest resets the connection.
  socket.on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  return received
}

/** The status and the JSON body of a bare answer. */
export function readAnswer(text: string): { status: number; headers: string; body: unknown } {
  const [headers = '', body = ''] = text.split('\r\n\r\n', 2)
  const json = body.startsWith('{') ? JSON.parse(body) : undefined
  return { status: Number(headers.split(' ')[1]), headers: headers.toLowerCase(), body: json }
}
