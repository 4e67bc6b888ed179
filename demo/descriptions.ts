import type { DemoAttribute } from './catalogue.ts'
import type { Random } from './random.ts'

const OPENINGS = [
  'Надёжная модель на каждый день.',
  'Практичный выбор для дома и небольшой мастерской.',
  'Обновлённая версия популярной серии.',
  'Подойдёт тем, кто ценит простоту и запас прочности.',
  'Продуманная конструкция и аккуратная сборка.',
]
const SENTENCES = [
  'Все детали собраны без люфтов, поверхность легко протирается влажной тканью.',
  'Поставляется с инструкцией на русском языке.',
  'Занимает немного места и удобно хранится между использованием.',
  'Рассчитана на ежедневную работу & долгий срок службы.',
  'Производитель сохраняет за собой право менять комплектацию.',
  'Перед первым использованием снимите защитную плёнку.',
]
const NOTES = ['Хранить в сухом месте.', 'Беречь от детей младше 3 лет.', 'Не требует обслуживания.']

/** Writes a description as suppliers do: mostly simple HTML, sometimes plain text, empty or missing. */
export function describeProduct(name: string, attributes: readonly DemoAttribute[], random: Random): string | null {
  const roll = random.next()
  if (roll < 0.05) return null
  if (roll < 0.08) return ''
  const text = `${random.pick(OPENINGS)} ${random.pick(SENTENCES)}`
  if (roll < 0.3) return text
  const features = attributes.slice(0, 3).map(({ name, value }) => `<li>${name}: ${value}</li>`)
  const list = features.length > 0 ? `<ul>${features.join('')}</ul>` : ''
  const title = roll > 0.9 ? `<h3>${name}</h3>` : ''
  return `${title}<p>${text}</p>${list}<p><b>Важно:</b> ${random.pick(NOTES)}<br></p>`
}
