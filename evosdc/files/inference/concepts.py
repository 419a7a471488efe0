"""What names of attributes mean in German, French, Spanish, Italian, Portuguese, Dutch and Polish: a table of words.

English names are those of `evosdc.files.inference.name_hints`. A word of the table is compared with each word of a
name, without accents, and with up to `MOST_JOINED` words that follow each other. How an entry is written says what it
may be:

========== ==========================================================
``ort``    a whole word, or its plural
``-lohn``  also the end of a longer word: ``Bruttolohn``
``alters-`` also the beginning of a longer word: ``Altersgruppe``
``a_b``    words that follow each other, small words such as ``de`` left out; or the same run together
``=land``  the whole name and nothing else
========== ==========================================================
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

LANGUAGES = ("German", "French", "Spanish", "Italian", "Portuguese", "Dutch", "Polish")

MOST_JOINED = 3
"""So many words that follow each other are looked up as one."""

CONCEPTS: Mapping[str, str] = {
    "age": """
        alter alters- lebensalter eintrittsalter aufnahmealter diagnosealter alterjahre
        age_annees tranche_age
        edad edades grupo_edad grupo_etario
        eta anni_eta classe_eta fascia_eta
        idade faixa_etaria
        leeftijd leeftijds-
        wiek wieku grupa_wiekowa
        """,
    "birth": """
        geburtsdatum geburtstag geburtsjahr geburtsmonat gebdatum gebdat gebjahr geboren
        naissance date_naissance annee_naissance
        nacimiento fecha_nacimiento ano_nacimiento fnac fecnac
        nascita data_nascita anno_nascita
        nascimento data_nascimento ano_nascimento
        geboortedatum geboortejaar geboortedag
        data_urodzenia rok_urodzenia urodzenia
        """,
    "sex": """
        geschlecht geschlechts- sexe genre sexo genero sesso genere geslacht plec plci
        """,
    "place": """
        ort ortsname wohnort geburtsort arbeitsort schulort heimatort standort ortschaft ortsteil wohnsitz postleitzahl
        postleitzahlen plz
        stadt stadte stadtteil stadtbezirk gemeinde gemeinde- landkreis kreis bezirk bundesland kanton region provinz
        =land
        geburtsland herkunftsland wohnland
        lieu lieu_naissance ville commune departement pays code_postal codepostal cp_residence domicile quartier canton
        lugar lugar_nacimiento ciudad municipio pais provincia codigo_postal comarca localidad poblacion_residencia
        barrio
        estado comunidad_autonoma distrito residencia
        luogo luogo_nascita citta comune regione cap_residenza paese residenza provincia_residenza codice_postale
        cidade concelho freguesia municipio local_nascimento naturalidade bairro cep regiao morada_cidade uf
        woonplaats geboorteplaats plaats gemeente provincie postcode postcodes wijk buurt geboorteland stad
        miasto miejscowosc gmina powiat wojewodztwo kod_pocztowy kraj miejsce_urodzenia miejsce_zamieszkania
        """,
    "occupation": """
        beruf berufs- -beruf tatigkeit beschaftigung beschaftigungs- erwerbs- branche arbeitgeber
        profession metier emploi activite_professionnelle categorie_socioprofessionnelle csp employeur
        ocupacion profesion oficio empleo situacion_laboral actividad_laboral
        professione occupazione lavoro mestiere impiego condizione_professionale
        profissao ocupacao emprego trabalho situacao_profissional
        beroep beroeps- arbeidssituatie =werk functie
        zawod zawodu zatrudnienie stanowisko praca
        """,
    "marital": """
        familienstand zivilstand personenstand verheiratet
        etat_civil situation_familiale situation_matrimoniale statut_matrimonial statut_marital marie
        estado_civil estado_conyugal casado
        stato_civile coniugato
        situacao_conjugal casada
        burgerlijke_staat burgerlijke_stand gehuwd
        stan_cywilny
        """,
    "household": """
        haushaltsgrosse haushaltsmitglieder kinder kinderzahl kinderanzahl anzahl_kinder
        enfants nombre_enfants taille_menage
        hijos numero_hijos tamano_hogar
        figli numero_figli
        filhos numero_filhos agregado_familiar
        kinderen aantal_kinderen huishoudgrootte
        dzieci liczba_dzieci
        """,
    "income": """
        einkommen -einkommen einkommens- gehalt -gehalt gehaltsklasse lohn -lohn verdienst -verdienst entgelt
        revenu salaire
        ingreso salario sueldo renta
        reddito stipendio
        renda rendimento ordenado vencimento
        inkomen -inkomen inkomens- salaris loon -loon
        dochod dochody wynagrodzenie placa zarobki
        """,
    "education": """
        bildung schulbildung ausbildung bildungs- bildungsstand schulabschluss bildungsabschluss studienabschluss
        hochschulabschluss
        schulform qualifikation
        diplome niveau_etudes niveau_education niveau_instruction scolarite etudes
        educacion estudios nivel_educativo nivel_estudios escolaridad
        istruzione titolo_studio livello_istruzione
        escolaridade educacao habilitacoes grau_instrucao nivel_ensino
        opleiding opleidings- onderwijs onderwijsniveau
        wyksztalcenie edukacja
        """,
    "nationality": """
        nationalitat staatsangehorigkeit staatsburgerschaft migrationshintergrund herkunft muttersprache ethnie
        nationalite citoyennete langue_maternelle origine
        nacionalidad ciudadania etnia raza lengua_materna
        nazionalita cittadinanza etnia razza
        nacionalidade cidadania raca
        nationaliteit staatsburgerschap herkomst
        narodowosc obywatelstwo
        """,
    "religion": """
        konfession religions- religionszugehorigkeit glaubensbekenntnis religioses_bekenntnis
        confession confession_religieuse
        religiosidad confesion
        religione confessione
        religiao
        religie godsdienst geloof kerkgenootschap
        religia wyznanie
        """,
    "health": """
        diagnose -diagnose diagnosen krankheit -krankheit krankheits- erkrankung -erkrankung behandlung behandlungs-
        medikament
        medikation gesundheit gesundheits- befund behinderung allergie todesursache
        diagnostic maladie pathologie traitement medicament sante handicap
        diagnostico enfermedad tratamiento medicamento salud discapacidad
        diagnosi malattia patologia terapia farmaco salute disabilita
        doenca tratamento saude deficiencia
        ziekte aandoening behandeling medicatie gezondheid handicap
        diagnoza choroba rozpoznanie leczenie leki niepelnosprawnosc
        """,
    "debt": """
        schulden -schulden verschuldung
        dettes endettement
        deuda endeudamiento
        debiti indebitamento
        divida endividamento
        schuld schuldenlast
        dlug dlugi zadluzenie
        """,
    "name": """
        nachname vorname familienname nachnamen vornamen geburtsname
        nom prenom nom_famille
        nombre apellido
        nome cognome
        sobrenome apelido
        naam achternaam voornaam familienaam
        nazwisko imie imiona
        """,
    "address": """
        adresse anschrift -anschrift strasse -strasse hausnummer
        rue domicile_adresse
        direccion domicilio calle
        indirizzo
        endereco morada rua
        adres straat straatnaam huisnummer woonadres
        ulica
        """,
    "contact": """
        telefon telefonnummer handy handynummer mobilnummer mobiltelefon
        courriel telefono celular movil correo correo_electronico cellulare telefone telemovel
        telefoon telefoonnummer mobiel mobielnummer
        komorka
        """,
    "number": """
        patnr patientennummer patientennr kundennummer kundennr kdnr personalnummer personalnr versichertennummer
        versicherungsnummer
        sozialversicherungsnummer svnr ausweisnummer steuernummer kontonummer aktenzeichen fallnummer laufnummer lfdnr
        lfd_nr kennung personenkennzeichen matrikelnummer ahv
        numero_patient numero_dossier numero_client numero_securite_sociale nir matricule identifiant
        numero_paciente numero_cliente historia_clinica expediente identificador nif cedula
        codice_fiscale codice_paziente numero_paziente matricola identificativo
        numero_utente nif processo identificador cartao_cidadao
        patientnummer klantnummer burgerservicenummer bsn personeelsnummer rekeningnummer dossiernummer
        pesel nip numer_pacjenta numer_klienta identyfikator nr_pacjenta nr_klienta
        """,
}
"""Words by concept, the languages in their order."""

IDENTIFYING = frozenset({"name", "address", "contact", "number"})
SENSITIVE = frozenset({"religion", "health", "debt"})
DEMOGRAPHIC = frozenset(
    {"age", "birth", "sex", "place", "occupation", "marital", "household", "income", "education"}
) | {"nationality"}
UNORDERED = frozenset({"sex", "place", "occupation", "marital", "nationality", "religion", "health"})
ORDERED = frozenset({"age", "education", "household"})

_SMALL_WORDS = """
    a al d da das de dei del della delle dello der des di die do dos du e el en et i in ks l la las le les los o op und
    van vom von w y z
    """
_SMALL = frozenset(_SMALL_WORDS.split())
_PLURALS = ("es", "en", "er", "s", "e", "n")
_FEWEST_LETTERS = 4
_SIGNS = str.maketrans({"\N{LATIN SMALL LETTER SHARP S}": "ss", "\N{LATIN SMALL LETTER L WITH STROKE}": "l"})


def plain(word: str) -> str:
    """Return a word in lower case without accents; ``ae``, ``oe`` and ``ue`` count as the letters they stand for."""
    apart = unicodedata.normalize("NFKD", word.lower().translate(_SIGNS))
    letters = "".join(sign for sign in apart if not unicodedata.combining(sign))
    return letters.replace("ae", "a").replace("oe", "o").replace("ue", "u")


def concepts_of(words: Sequence[str]) -> frozenset[str]:
    """Return the concepts that the words of a name stand for, in any language of the table; none where none does."""
    bare = [plain(word) for word in words]
    telling = [word for word in bare if word not in _SMALL]
    found = set(_table().whole.get("".join(bare), ()))
    for size in range(MOST_JOINED, 0, -1):
        place = 0
        while place + size <= len(telling):
            meant = _meant("".join(telling[place : place + size]))
            if meant:
                found |= meant
                del telling[place : place + size]  # what is said together means nothing else by itself
            else:
                place += 1
    return frozenset(found)


def _meant(word: str) -> frozenset[str]:
    """Return the concepts of a word: its own, else those of what it may be the plural of, begins with, or ends with."""
    table = _table()
    forms = (word, *_stems(word))
    known = next((table.single[form] for form in forms if form in table.single), None)
    if known is not None:
        return known
    compound = {concept for start, concept in table.begin if word.startswith(start)}
    return frozenset(compound | {concept for tail, concept in table.end for form in forms if form.endswith(tail)})


def _stems(word: str) -> list[str]:
    """Return what a word may be the plural of."""
    ends = [ending for ending in _PLURALS if word.endswith(ending)]
    return [word.removesuffix(ending) for ending in ends if len(word) - len(ending) >= _FEWEST_LETTERS]


@dataclass(frozen=True)
class _Table:
    """The words made for looking up: whole names, words, and what longer words begin or end with."""

    whole: Mapping[str, frozenset[str]]
    single: Mapping[str, frozenset[str]]
    begin: tuple[tuple[str, str], ...]
    end: tuple[tuple[str, str], ...]


@cache
def _table() -> _Table:
    whole: dict[str, frozenset[str]] = {}
    single: dict[str, frozenset[str]] = {}
    begin: list[tuple[str, str]] = []
    end: list[tuple[str, str]] = []
    for concept, entries in CONCEPTS.items():
        for entry in entries.split():
            parts = entry.strip("-=").split("_")
            word = plain("".join(parts))
            held = whole if entry.startswith("=") else single
            if entry.endswith("-"):
                begin.append((word, concept))
            else:
                # Two words that are run together may seem to have a letter that neither has: grupo etario.
                for form in {word, "".join(map(plain, parts))}:
                    held[form] = held.get(form, frozenset()) | {concept}
            if entry.startswith("-"):
                end.append((word, concept))
    return _Table(whole, single, tuple(begin), tuple(end))
