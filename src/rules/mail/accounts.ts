import { formatTime, type MailContext, type RenderedMail, renderMail, translator } from './render.ts'

// Neither mail holds anything that was typed in: anybody can register somebody else's address under any name.

/** The mail with the link to a new password. @param url holds the token */
export function passwordResetMail(
  context: MailContext,
  { url, minutes }: { url: string; minutes: number },
): RenderedMail {
  const { siteName } = context
  const say = translator(context)
  const asked = say(
    `Кто-то, вероятно вы, попросил о новом пароле для вашей учётной записи в магазине «${siteName}».`,
    `Somebody, probably you, asked for a new password for your account at ${siteName}.`,
  )
  const validity = say(
    `Ссылка действует ${minutes} минут и только один раз. Если вы ни о чём не просили, ничего не делайте: пароль останется прежним.`,
    `The link is valid for ${minutes} minutes and works once. If you did not ask for it, do nothing: your password stays as it is.`,
  )
  const link = { link: url, label: say('Задать новый пароль', 'Set a new password') }
  const subject = `${siteName}: ${say('новый пароль', 'new password')}`
  return renderMail({ subject, blocks: [asked, link, validity] }, context)
}

/** The notice to the owner that the password was reset. */
export function passwordChangedMail(context: MailContext, { at }: { at: Date }): RenderedMail {
  const { siteName } = context
  const say = translator(context)
  const time = formatTime(at, context)
  const changed = say(
    `Пароль вашей учётной записи в магазине «${siteName}» изменён: ${time}. На всех устройствах нужно войти заново.`,
    `The password of your account at ${siteName} was changed: ${time}. All devices have to log in again.`,
  )
  const warning = say(
    'Если это сделали не вы, сразу задайте новый пароль, смените пароль своей почты и сообщите магазину.',
    'If it was not you, set a new password at once, change the password of your mailbox, and tell the shop.',
  )
  const subject = `${siteName}: ${say('пароль изменён', 'password changed')}`
  return renderMail({ subject, blocks: [changed, warning] }, context)
}

/** The notice to the owner that a SUPER_ADMIN has switched off the second factor. */
export function totpResetMail(context: MailContext, { at }: { at: Date }): RenderedMail {
  const { siteName } = context
  const say = translator(context)
  const time = formatTime(at, context)
  const reset = say(
    `Администратор отключил код из приложения для входа в вашу учётную запись в магазине «${siteName}»: ${time}. На всех устройствах нужно войти заново; настройте код снова.`,
    `An administrator switched off the code of the authenticator app for your account at ${siteName}: ${time}. All devices have to log in again; please set up a code again.`,
  )
  const warning = say(
    'Если вы об этом не просили, сразу смените пароль и сообщите магазину.',
    'If you did not ask for it, change your password at once and tell the shop.',
  )
  const subject = `${siteName}: ${say('код для входа отключён', 'login codes switched off')}`
  return renderMail({ subject, blocks: [reset, warning] }, context)
}

/** The notice to staff of a login from a network that is new. @param client a name, null if unknown */
export function newNetworkMail(
  context: MailContext,
  { at, network, client }: { at: Date; network: string; client: string | null },
): RenderedMail {
  const { siteName } = context
  const say = translator(context)
  const details = [formatTime(at, context), network, client].filter((part) => part !== null).join(', ')
  const login = say(
    `В вашу учётную запись в магазине «${siteName}» вошли из сети, из которой давно или никогда не входили: ${details}.`,
    `Somebody logged in to your account at ${siteName} from a network that is new, or was not used for long: ${details}.`,
  )
  const warning = say(
    'Если это были не вы, сразу смените пароль: это завершит все сеансы. И сообщите магазину.',
    'If it was not you, change your password at once, which ends all sessions, and tell the shop.',
  )
  const subject = `${siteName}: ${say('вход из новой сети', 'login from a new network')}`
  return renderMail({ subject, blocks: [login, warning] }, context)
}
