import { language } from '../../ui/language.ts'

const en = {
  none: 'No banners yet. The home page of the shop shows them.',
  newBanner: 'New banner',
  title: 'Title',
  subtitle: 'Subtitle',
  text: 'Text',
  linkUrl: 'Link',
  buttonText: 'Text of the button',
  position: 'Place on the page',
  shown: 'Shown',
  activeFrom: 'From',
  activeTo: 'Until',
}

const ru: typeof en = {
  none: 'Баннеров пока нет. Их показывает главная страница магазина.',
  newBanner: 'Новый баннер',
  title: 'Заголовок',
  subtitle: 'Подзаголовок',
  text: 'Текст',
  linkUrl: 'Ссылка',
  buttonText: 'Надпись на кнопке',
  position: 'Место на странице',
  shown: 'Показ',
  activeFrom: 'С',
  activeTo: 'До',
}

export const t = language === 'ru' ? ru : en
