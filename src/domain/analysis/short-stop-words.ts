const list = (words: string): readonly string[] => words.trim().split(/\s+/)

type ShortLanguage = 'arabic' | 'hungarian' | 'indonesian' | 'lithuanian' | 'serbian' | 'spanish'

/**
 * Function words of the languages whose packaged list holds hundreds of content words (Spanish `trabajo`, `verdad`) or
 * is damaged (Serbian). Forms without accents are matched as well.
 */
export const SHORT_STOP_WORDS: Readonly<Record<ShortLanguage, readonly string[]>> = {
  arabic:
    list(`من في على إلى عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا هو هي هم هن أنا أنت نحن كان كانت يكون
    لا لم لن قد ثم أو أم إن أن كل بعد قبل بين حتى إذا لقد هل كيف متى أين و ف ب ل ك`),
  hungarian:
    list(`a az egy és is hogy nem ez azt ezt van volt lesz mint meg de ha csak még már ki mi mit aki ami
    amely vagy mert sem be le fel el ő én te mi ti ők itt ott ahol így úgy ehhez ahhoz ennek annak ezek azok`),
  indonesian:
    list(`yang dan di ke dari untuk pada dengan ini itu adalah atau juga dalam oleh sebagai akan telah
    sudah saya aku kamu anda dia mereka kami kita tidak bukan ada apa siapa bagaimana kapan mana karena jika agar
    bahwa saat para sang si nya`),
  lithuanian:
    list(`ir yra kad su iš į ne tai o bet kaip ar po už nuo iki per prie dėl jei tik jo jos jų mes jūs jie
    aš tu jis ji buvo bus kas kuris kuri kurie čia ten ant be`),
  serbian:
    list(`i u na je se da su za od sa ne što kao ali ili iz po do koji koja koje kad kada gde kako šta ko to
    taj ta te on ona ono oni smo ste sam si bio bila će bi mi ti vi nas vas ga mu joj их и у на је се да су за од са
    не што као али или из по до који која које кад када где како шта ко то тај та те он она оно они смо сте сам си`),
  spanish:
    list(`a al algo ante como con cual cuando de del desde donde dos e el ella ellas ellos en entre era eran
    es esa esas ese eso esos esta estaba estas este esto estos está están fue fueron ha han hasta hay he la las le
    les lo los me mi mis muy más ni no nos nosotros o os para pero por porque que qué quien quién se ser si sin
    sobre son soy su sus sí también te ti tu tus tú un una uno unos y ya yo cómo cuándo dónde cuál él`),
}
