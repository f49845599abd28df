"""Function words of the five languages Quadern is written for.

Articles, pronouns, prepositions, conjunctions, auxiliaries and question words: what carries no
subject. Long general-purpose lists also drop words such as "system", "page" or "value", which
costs up to .04 nDCG@10 on the English test collections. Case and accents are folded.
"""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "en": _words(
        """
        a about above after again against all am an and any are aren as at be because been before
        being below between both but by can cannot could couldn d did didn do does doesn doing don
        dont down during each few for from further had hadn has hasn have haven having he her here
        hers herself him himself his how i if in into is isn it its itself just ll m may me might
        more most must my myself no nor not now of off on once only or other ought our ours
        ourselves out over own re s same shall she should shouldn so some such t than that the
        their theirs them themselves then there these they this those through to too under until up
        upon us ve very was wasn we were weren what when where which while who whom whose why will
        with won would wouldn you your yours yourself yourselves
        """
    ),
    "ca": _words(
        """
        a abans aixi aixo al algu alguna algunes alguns alla alli allo als altra altre altres amb
        aquell aquella aquelles aquells aquest aquesta aquestes aquests aqui cada com d de del dels
        des doncs e el ell ella elles ells els em en encara ens entre era eren es esta estan estat
        estava et eta fa fins ha haver hem heu hi ho i ja l la les li llur llurs lo ls m ma mai
        mateix mateixa me mes meu meva meves meus mi molt molta moltes molts n na ne ni no nos
        nosaltres nostra nostre nostres ns o on p pel pels per pero perque poc poca poden pot qual
        quals quan quant quanta quantes quants que qui quin quina quines quins s sa se sense ser
        sera seran seu seus seva seves si sigui siguin sino sobre son sota t tal tals tambe tan tant
        te tenen ti tot tota totes tots tu u un una unes uns va van vas vos vosaltres vostra vostre
        vostres
        """
    ),
    "es": _words(
        """
        a adonde al algo alguien algun alguna algunas alguno algunos ambos ante antes aquel aquella
        aquellas aquello aquellos aqui asi aun aunque cada como con contra cual cuales cualquier
        cuan cuando cuanta cuantas cuanto cuantos de del desde donde dos e el ella ellas ello ellos
        en entre era eran es esa esas ese eso esos esta estaba estaban estado estan estar estas este
        esto estos fue fueron ha habia habian han hasta hay he la las le les lo los mas me mi mia
        mias mientras mio mios mis muy ni no nos nosotros nuestra nuestras nuestro nuestros o os
        otra otras otro otros para pero por porque pues que quien quienes se sea sean segun ser sera
        seran si sido sin sino sobre son su sus suya suyas suyo suyos tal tales tambien tampoco tan
        tanto te tenia tiene tienen ti todo todos toda todas tu tus tuya tuyo u un una unas uno unos
        usted ustedes vosotros vuestra vuestro y ya yo
        """
    ),
    "pt": _words(
        """
        a ainda alem algo alguem algum alguma algumas alguns ali ambos ao aos aquela aquelas aquele
        aqueles aquilo as assim ate cada com como contra cuja cujas cujo cujos da daquela daquele
        das de dela delas dele deles desde dessa desse desta deste do dos e ela elas ele eles em
        enquanto entre era eram essa essas esse esses esta estao estar estas estava estavam este
        estes eu foi foram ha havia isso isto ja la lhe lhes lo mais mas me mesma mesmo meu meus
        minha minhas muita muitas muito muitos na nao nas nem nessa nesse nesta neste no nos nossa
        nossas nosso nossos num numa o onde os ou outra outras outro outros para pela pelas pelo
        pelos per por porem porque pois qual quais qualquer quando quanta quantas quanto quantos que
        quem se seja sejam sem sendo ser sera serao seu seus si sido sao sob sobre sua suas tal
        talvez tambem tao te tem tinha tinham tu tua tuas teu teus toda todas todo todos um uma umas
        uns voce voces vos
        """
    ),
    "nl": _words(
        """
        aan al alle alleen als ander andere anders ben bij bijv daar daarbij daarin daarmee daarna
        daarom daarop daarvan dan dat de den der deze die dit doch doen door dus e een eens elk elke
        en enige er ergens etc ge geen ge had hadden heb hebben hebt heeft hem hen het hier hierin
        hij hoe hun ieder iedere iemand iets ik in indien is ja je jij jou jouw jullie kan kon konden
        kunnen maar me meer men met mij mijn moet moeten mogen na naar niet niets nog nu of om omdat
        onder ons onze ook op over s t te tegen toch toen tot tussen u uit uw van vanuit veel voor
        waar waarbij waarin waarmee waarom waarop waarvan wanneer want waren was wat we wel welk
        welke werd werden wie wij wil word worden wordt zal ze zei zelf zich zij zijn zo zoals zonder
        zou zouden zulke
        """
    ),
}
