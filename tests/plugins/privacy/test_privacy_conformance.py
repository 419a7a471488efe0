"""Every privacy model against the suite for plugin authors."""

from evosdc.model import PrivacyModel
from evosdc.testing import PrivacyModelConformance
from evosdc_privacy.attackers import (
    AverageRisk,
    JournalistRisk,
    MarketerRisk,
    Profitability,
    ProsecutorRisk,
    PublisherPayoff,
)
from evosdc_privacy.differential_privacy import LocalDifferentialPrivacy, SafePub
from evosdc_privacy.diversity import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    PSensitivity,
    TCloseness,
)
from evosdc_privacy.frequencies import GlobalRisk, HouseholdRisk, IndividualRisk, KAnonymity, PopulationFrequencies
from evosdc_privacy.population import DeltaPresence, KMap
from evosdc_privacy.population_uniqueness import LogLinearRisk, PopulationUniqueness
from evosdc_privacy.special_uniques import Suda2
from evosdc_privacy.subsets import RiskyCells, Separation, SubsetAnonymity


def conforming(cls: type[PrivacyModel], **params: object) -> type[PrivacyModelConformance]:
    return type(f"Test{cls.__name__}", (PrivacyModelConformance,), {"model": lambda self: cls(cls.Params(**params))})


TestKAnonymity = conforming(KAnonymity)
TestPopulationFrequencies = conforming(PopulationFrequencies)
TestPSensitivity = conforming(PSensitivity)
TestLDiversity = conforming(LDiversity)
TestTCloseness = conforming(TCloseness)
TestIndividualRisk = conforming(IndividualRisk)
TestGlobalRisk = conforming(GlobalRisk)
TestHouseholdRisk = conforming(HouseholdRisk)
TestSuda2 = conforming(Suda2)
TestDeltaPresence = conforming(DeltaPresence)
TestLocalDifferentialPrivacy = conforming(LocalDifferentialPrivacy)
TestBetaLikeness = conforming(BetaLikeness)
TestEnhancedBetaLikeness = conforming(BetaLikeness, form="enhanced")
TestDeltaDisclosure = conforming(DeltaDisclosure, absent="ignored")
TestAlphaKAnonymity = conforming(AlphaKAnonymity, k=2)
TestGrassbergerDiversity = conforming(LDiversity, form="entropy", estimator="grassberger")
TestSubsetAnonymity = conforming(SubsetAnonymity, size=2)
TestKMap = conforming(KMap)
TestEstimatedKMap = conforming(KMap, estimator="d4")
TestAverageRisk = conforming(AverageRisk)
TestProsecutorRisk = conforming(ProsecutorRisk)
TestJournalistRisk = conforming(JournalistRisk)
TestMarketerRisk = conforming(MarketerRisk)
TestPopulationUniqueness = conforming(PopulationUniqueness)
TestSafePub = conforming(SafePub)
TestProfitability = conforming(Profitability)
TestPublisherPayoff = conforming(PublisherPayoff, attacker="journalist")
TestLogLinearRisk = conforming(LogLinearRisk)
TestRiskyCells = conforming(RiskyCells, dimensions=2, threshold=3)
TestSeparation = conforming(Separation)
TestIhsnSuda2 = conforming(Suda2, scoring="ihsn")
