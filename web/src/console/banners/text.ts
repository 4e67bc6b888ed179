import { withCommon } from '../text.ts'

export const t = withCommon({
  none: [
    'No banners yet. The home page of the shop shows them.',
    'Баннеров пока нет. Их показывает главная страница магазина.',
  ],
  newBanner: ['New banner', 'Новый баннер'],
  subtitle: ['Subtitle', 'Подзаголовок'],
  buttonText: ['Text of the button', 'Надпись на кнопке'],
  position: ['Place on the page', 'Место на странице'],
  shown: ['Shown', 'Показ'],
  activeTo: ['Until', 'До'],
})
