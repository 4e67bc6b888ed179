import { fileStem, isOtherFile } from './image-variants.ts'

/** What stands where a picture is missing. */
const PLACEHOLDER =
  /placeholder|(?:^|[-_ ])(?:no|not|net)[-_ ]?(?:photo|foto|image|img|pic|picture|available)s?(?:[-_ ]|$)|coming[-_ ]?soon|(?:^|[-_ ])нет[-_ ](?:фото|изображени)/i
/** Whole names, since the words may be part of a product's. */
const FILLER =
  /^(?:pixel|blank|spacer|transparent|1x1|loader|loading|ajax[-_]?loader|spinner|preloader|lazy|default|noimage|nophoto|share|og|og[-_]?image|og[-_]?default|opengraph|social|favicon|sprites?|apple[-_]touch[-_]icon.{0,20})$/i
const LOGO_WORD = /^logo(?:s|type)?$/i
const ICON = /^(?:icons?|ico)[-_]|[-_](?:icons?|ico|sprite)$|^icons?$/i
const JUNK_FOLDER = /\/(?:icons?|logos?|sprites?|emoji|smil(?:ey|ie)s|flags|favicons?|payments?)\//i
const TRACKERS =
  /(?:^|\.)(?:mc\.yandex\.ru|facebook\.com|google-analytics\.com|googletagmanager\.com|top-fwz1\.mail\.ru|counter\.yadro\.ru|vk\.com)$/i

/** Whether an address can't be a picture of a product: another kind of file, a placeholder, a filler, an icon, a logo, a counter. */
export function isJunkImage(url: URL): boolean {
  if (isOtherFile(url) || TRACKERS.test(url.hostname) || JUNK_FOLDER.test(url.pathname)) return true
  const stem = fileStem(url)
  return PLACEHOLDER.test(stem) || FILLER.test(stem) || ICON.test(stem) || isLogo(stem)
}

/** `logo`, `logo-white-2x` and `maker-logo` are logos; `mug-with-logo-red` is a mug. */
function isLogo(stem: string): boolean {
  const words = stem.split(/[^\p{L}]+/u).filter((word) => word.length > 1)
  return LOGO_WORD.test(words[0] ?? '') || (words.length <= 3 && words.some((word) => LOGO_WORD.test(word)))
}
