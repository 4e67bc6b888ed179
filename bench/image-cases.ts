import sharp from 'sharp'
import type { HttpCase } from './http-cases.ts'

/** Uploads a photograph; requests it whole and as a small variant. */
export async function imageCases(shopUrl: string, token: string): Promise<HttpCase[]> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const photograph = sharp({ create: { width: 1600, height: 1200, channels: 3, background: '#888', noise } })
  const form = new FormData()
  const bytes = await photograph.blur(2).jpeg({ quality: 80 }).toBuffer()
  form.append('file', new File([new Uint8Array(bytes)], 'photograph.jpg'))
  const response = await fetch(`${shopUrl}/api/v1/images`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  })
  const { url }: { url: string } = JSON.parse(await response.text())
  const get = (path: string, headers = {}) => [{ method: 'GET' as const, path, headers }]
  return [
    {
      name: `image, ${Math.round(bytes.length / 1024)} KB`,
      requests: get(url),
      limit: { kind: 'file' },
      budget: null,
    },
    {
      name: 'image, as WebP of 320 pixels',
      requests: get(`${url}&width=320`, { accept: 'image/webp' }),
      limit: { kind: 'file' },
      budget: null,
    },
  ]
}
